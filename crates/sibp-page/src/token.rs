//! Makes the secret that lets a browser in, and compares it without telling by time how much of it was right.

use crate::PageError;

/// Random bytes of a token.
const BYTES: usize = 32;

/// A secret of 256 bits, in hexadecimal.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token that nobody can guess, by the system's generator.
    pub fn random() -> Result<Self, PageError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| PageError::NoToken { reason: error.to_string() })?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The secret as it stands in the address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token. Every byte is looked at, whichever differ.
    pub fn is(&self, text: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), text.as_bytes());
        own.len() == other.len() && own.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_know_themselves() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 2 * BYTES);
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert!(!one.is("") && !one.is(&one.text()[1..]) && !one.is(&format!("{}0", one.text())));
    }
}
