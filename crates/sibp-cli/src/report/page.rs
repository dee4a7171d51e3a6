//! x
pub fn write() {}
pub fn escaped(t:&str)->String{t.into()}
