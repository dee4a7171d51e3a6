//! Takes typed tensors out of a parsed container, checking type and shape before anything is allocated.

use super::FormatError;
use crate::trace::Tensor;
use safetensors::Dtype;
use safetensors::tensor::{SafeTensors, TensorView};
use std::collections::BTreeMap;

/// The tensors of a file that have not been read yet.
pub(super) struct Tensors<'d>(BTreeMap<String, TensorView<'d>>);

impl<'d> Tensors<'d> {
    pub fn new(file: &SafeTensors<'d>) -> Self {
        Self(file.tensors().into_iter().collect())
    }

    /// Whether a tensor is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The rest of each tensor name that begins with `prefix`.
    pub fn names_under(&self, prefix: &str) -> Vec<String> {
        let from = self.0.range(prefix.to_owned()..).map(|(name, _)| name);
        from.map_while(|name| name.strip_prefix(prefix)).map(str::to_owned).collect()
    }

    /// A list of numbers of any length.
    pub fn list_u64(&mut self, name: &str) -> Result<Vec<u64>, FormatError> {
        let view = self.take(name, Dtype::U64, "U64")?;
        if view.shape().len() != 1 {
            return Err(wrong_shape(name, "a list", &view));
        }
        Ok(values(&view, u64::from_le_bytes))
    }

    pub fn u64s(&mut self, name: &str, n: usize) -> Result<Vec<u64>, FormatError> {
        Ok(values(&self.shaped(name, Dtype::U64, "U64", &[n])?, u64::from_le_bytes))
    }

    pub fn u32s(&mut self, name: &str, n: usize) -> Result<Vec<u32>, FormatError> {
        Ok(values(&self.shaped(name, Dtype::U32, "U32", &[n])?, u32::from_le_bytes))
    }

    pub fn f64s(&mut self, name: &str, n: usize) -> Result<Vec<f64>, FormatError> {
        Ok(values(&self.shaped(name, Dtype::F64, "F64", &[n])?, f64::from_le_bytes))
    }

    /// A list of real numbers of any length.
    pub fn list_f64(&mut self, name: &str) -> Result<Vec<f64>, FormatError> {
        let view = self.take(name, Dtype::F64, "F64")?;
        if view.shape().len() != 1 {
            return Err(wrong_shape(name, "a list", &view));
        }
        Ok(values(&view, f64::from_le_bytes))
    }

    /// A matrix, row by row.
    pub fn matrix_f64(&mut self, name: &str, shape: [usize; 2]) -> Result<Vec<f64>, FormatError> {
        Ok(values(&self.shaped(name, Dtype::F64, "F64", &shape)?, f64::from_le_bytes))
    }

    pub fn bytes(&mut self, name: &str, shape: &[usize]) -> Result<Vec<u8>, FormatError> {
        Ok(self.shaped(name, Dtype::U8, "U8", shape)?.data().to_vec())
    }

    /// An array of any shape.
    pub fn array(&mut self, name: &str) -> Result<Tensor, FormatError> {
        let view = self.take(name, Dtype::F64, "F64")?;
        Ok(Tensor { shape: view.shape().to_vec(), values: values(&view, f64::from_le_bytes) })
    }

    /// Refuses a file with tensors that were not read.
    pub fn end(self) -> Result<(), FormatError> {
        match self.0.into_keys().next() {
            Some(name) => Err(FormatError::UnexpectedTensor { name }),
            None => Ok(()),
        }
    }

    fn shaped(
        &mut self,
        name: &str,
        dtype: Dtype,
        expected: &'static str,
        shape: &[usize],
    ) -> Result<TensorView<'d>, FormatError> {
        let view = self.take(name, dtype, expected)?;
        if view.shape() != shape {
            return Err(wrong_shape(name, &format!("{shape:?}"), &view));
        }
        Ok(view)
    }

    fn take(&mut self, name: &str, dtype: Dtype, expected: &'static str) -> Result<TensorView<'d>, FormatError> {
        let view = self.0.remove(name).ok_or_else(|| FormatError::MissingTensor { name: name.to_owned() })?;
        if view.dtype() != dtype {
            let found = format!("{:?}", view.dtype());
            return Err(FormatError::TensorType { name: name.to_owned(), expected, found });
        }
        Ok(view)
    }
}

fn wrong_shape(name: &str, expected: &str, view: &TensorView) -> FormatError {
    let found = view.shape().to_vec();
    FormatError::TensorShape { name: name.to_owned(), expected: expected.to_owned(), found }
}

fn values<T, const N: usize>(view: &TensorView, value: impl Fn([u8; N]) -> T) -> Vec<T> {
    view.data().as_chunks().0.iter().map(|&bytes| value(bytes)).collect()
}
