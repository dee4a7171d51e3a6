//! Walks through Thrift compact structures, checking every length against the bytes that are there.
//!
//! The parquet library allocates as many list elements, schema children and dictionary values as a file claims. A
//! damaged file can claim billions, and a failed allocation ends the process; so the claims are checked here first.

/// Deepest nesting of structures; Parquet's own are at most 8 deep.
const DEEPEST: usize = 32;

/// Called with the field numbers that lead to an integer, and the integer.
pub(super) type Visit<'v> = dyn FnMut(&[i64], i64) -> Result<(), String> + 'v;

/// A position in a byte string.
pub(super) struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    path: Vec<i64>,
}

impl<'a> Walker<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, path: Vec::new() }
    }

    /// Walks through one structure and returns the number of bytes it takes.
    pub fn structure(mut self, visit: &mut Visit<'_>) -> Result<usize, String> {
        self.fields(visit)?;
        Ok(self.at)
    }

    fn fields(&mut self, visit: &mut Visit<'_>) -> Result<(), String> {
        if self.path.len() >= DEEPEST {
            return Err("its structures are nested too deeply".into());
        }
        let mut field = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            field = match head >> 4 {
                0 => self.integer()?,
                step => field + i64::from(step),
            };
            self.path.push(field);
            self.value(head & 0x0f, false, visit)?;
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8, in_list: bool, visit: &mut Visit<'_>) -> Result<(), String> {
        match kind {
            // A truth value is part of its field's head, but takes a byte in a list.
            1 | 2 => self.skip(usize::from(in_list)),
            3 => self.skip(1),
            4..=6 => {
                let value = self.integer()?;
                visit(&self.path, value)
            }
            7 => self.skip(8),
            8 => {
                let len = self.unsigned()?;
                self.skip(usize::try_from(len).map_err(|_| too_long())?)
            }
            9 | 10 => self.list(visit),
            12 => self.fields(visit),
            other => Err(format!("it has a value of unknown kind {other}")),
        }
    }

    fn list(&mut self, visit: &mut Visit<'_>) -> Result<(), String> {
        let head = self.byte()?;
        let len = match head >> 4 {
            15 => self.unsigned()?,
            short => u64::from(short),
        };
        // Every element takes at least one byte.
        if len > (self.bytes.len() - self.at) as u64 {
            return Err(too_long());
        }
        (0..len).try_for_each(|_| self.value(head & 0x0f, true, visit))
    }

    fn skip(&mut self, n_bytes: usize) -> Result<(), String> {
        if n_bytes > self.bytes.len() - self.at {
            return Err(too_long());
        }
        self.at += n_bytes;
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, String> {
        let byte = *self.bytes.get(self.at).ok_or_else(too_long)?;
        self.at += 1;
        Ok(byte)
    }

    fn unsigned(&mut self) -> Result<u64, String> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("it has a number of more than 64 bits".into())
    }

    /// Signed numbers are stored with their sign in the lowest bit.
    fn integer(&mut self) -> Result<i64, String> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

fn too_long() -> String {
    "a length in it goes beyond its end".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_integers_by_path_and_counts_bytes() {
        // {1: i32 -3, 3: [ {2: 5}, {} ], 4: "ab"} and a byte that does not belong to it.
        let bytes = [0x15, 0x05, 0x29, 0x2c, 0x26, 0x0a, 0x00, 0x00, 0x18, 0x02, b'a', b'b', 0x00, 0xff];
        let mut seen = Vec::new();
        let used = Walker::new(&bytes).structure(&mut |path, value| {
            seen.push((path.to_vec(), value));
            Ok(())
        });
        assert_eq!(used, Ok(13));
        assert_eq!(seen, [(vec![1], -3), (vec![3, 2], 5)]);
        for len in 0..13 {
            assert!(Walker::new(&bytes[..len]).structure(&mut |_, _| Ok(())).is_err());
        }
    }

    #[test]
    fn refuses_lists_longer_than_the_bytes_and_deep_nesting() {
        let long = [0x19, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0x00];
        assert!(Walker::new(&long).structure(&mut |_, _| Ok(())).unwrap_err().contains("beyond its end"));
        let deep = [0x1c; 100];
        assert!(Walker::new(&deep).structure(&mut |_, _| Ok(())).unwrap_err().contains("too deeply"));
    }
}
