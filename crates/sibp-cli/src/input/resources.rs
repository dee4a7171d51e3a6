//! Asks the operating system how much memory and disk are free.

use std::path::{Path, PathBuf};

/// Bytes of free memory, where the system reports them: of the machine, and within the limits of the process's control
/// groups.
pub fn free_memory() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let within = groups.lines().filter_map(group_folder).flat_map(|(root, folder)| limits(root, &folder));
    free_on_machine().into_iter().chain(within).min()
}

fn free_on_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()? << 10)
}

/// Folder of a control group named in a line of `/proc/self/cgroup`, if it limits memory.
fn group_folder(line: &str) -> Option<(&'static str, PathBuf)> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let root = match controllers {
        "" if number == "0" => "/sys/fs/cgroup",
        "memory" => "/sys/fs/cgroup/memory",
        _ => return None,
    };
    Some((root, Path::new(root).join(path.trim_start_matches('/'))))
}

/// Memory that this control group and each of its ancestors leave free.
fn limits(root: &'static str, folder: &Path) -> Vec<u64> {
    let groups = folder.ancestors().take_while(|group| group.starts_with(root));
    groups.filter_map(|group| left(group, "memory.max", "memory.current").or_else(|| left_v1(group))).collect()
}

fn left_v1(group: &Path) -> Option<u64> {
    left(group, "memory.limit_in_bytes", "memory.usage_in_bytes")
}

/// A limit minus its use, where the file cache counts as free: it is given back on demand.
fn left(group: &Path, limit: &str, used: &str) -> Option<u64> {
    let number = |name: &str| std::fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    let stat = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let cached = cached("inactive_file ").unwrap_or(0) + cached("active_file ").unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

/// Bytes of disk that are free for this user in a folder, where the system reports them.
pub fn free_disk(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_where_linux_shows_them() {
        let folder = |line| group_folder(line).map(|(_, folder)| folder);
        assert_eq!(folder("0::/user/a"), Some("/sys/fs/cgroup/user/a".into()));
        assert_eq!(folder("4:memory:/b:c"), Some("/sys/fs/cgroup/memory/b:c".into()));
        assert_eq!(folder("3:cpuset:/"), None);
    }

    #[test]
    fn a_group_leaves_its_limit_less_what_is_used_and_not_cached() {
        let group = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(group.path().join(name), text).unwrap();
        let asked = || left(group.path(), "memory.max", "memory.current");
        assert_eq!(asked(), None);
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(asked(), None);
        write("memory.max", "1000\n");
        assert_eq!(asked(), Some(300));
        write("memory.stat", "anon 400\ninactive_file 200\nactive_file 100\n");
        assert_eq!(asked(), Some(600));
        write("memory.max", "100\n");
        assert_eq!(asked(), Some(0));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_both() {
        assert!(free_memory().is_some_and(|bytes| bytes > 1 << 20));
        assert!(free_disk(Path::new("/")).is_some());
        assert!(free_disk(Path::new("/no/such/folder")).is_none());
    }
}
