//! Numbers texts in the order in which they first appear.

use std::collections::HashMap;

/// Distinct texts, each with its number. The map is only asked, never walked through, so its order reaches nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbering {
    texts: Vec<String>,
    number_of: HashMap<String, u32>,
}

impl Numbering {
    /// The number of a text; a new one gets the next.
    pub fn number(&mut self, text: &str) -> Result<u32, &'static str> {
        if let Some(&number) = self.number_of.get(text) {
            return Ok(number);
        }
        let number = u32::try_from(self.texts.len()).map_err(|_| "one of at most 2^32 names")?;
        self.texts.push(text.to_owned());
        self.number_of.insert(text.to_owned(), number);
        Ok(number)
    }

    /// The texts by their numbers.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }
}
