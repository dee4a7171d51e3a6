//! Judges whether chains agree.
