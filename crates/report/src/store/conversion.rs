//! Columns of other Arrow libraries, made into the types of ours: they write text with and without dictionaries and choose
//! their own widths of numbers.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, Float64Array, UInt64Array, new_null_array};
use arrow_schema::DataType;

/// The column as `wanted`, which is text in a dictionary, `UInt64` or `Float64`.
///
/// # Errors
/// With what is required and found, if the column holds something else, or a number that does not fit.
pub(super) fn converted(column: &ArrayRef, wanted: &DataType) -> Result<ArrayRef, String> {
    let found = column.data_type();
    if found == wanted {
        return Ok(Arc::clone(column));
    }
    let made: Option<ArrayRef> = match (found, wanted) {
        // Of a column without a value, libraries know no type.
        (DataType::Null, _) => Some(new_null_array(wanted, column.len())),
        (_, DataType::Dictionary(..)) => texts(column).map(|texts| {
            let dictionary: DictionaryArray<Int32Type> = texts.into_iter().collect();
            Arc::new(dictionary) as ArrayRef
        }),
        (_, DataType::UInt64) => unsigned(column).map(|numbers| Arc::new(numbers) as ArrayRef),
        (_, DataType::Float64) => floats(column).map(|numbers| Arc::new(numbers) as ArrayRef),
        _ => None,
    };
    let made = made.ok_or_else(|| format!("must be of type {wanted}, got {found}"))?;
    if *wanted == DataType::UInt64 && made.null_count() > column.logical_null_count() {
        return Err("must hold whole numbers >= 0, got one below zero".to_owned());
    }
    Ok(made)
}

/// The text of each row, of whichever encoding.
fn texts(column: &dyn Array) -> Option<Vec<Option<&str>>> {
    if let Some(dictionary) = column.as_any_dictionary_opt() {
        let values = texts(dictionary.values())?;
        if values.is_empty() {
            return Some(vec![None; column.len()]);
        }
        let keys = dictionary.normalized_keys().into_iter().enumerate();
        return Some(keys.map(|(row, key)| if column.is_valid(row) { values[key] } else { None }).collect());
    }
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Some(column.as_string_view().iter().collect()),
        _ => None,
    }
}

/// Integers as `UInt64`; those below zero are null.
fn unsigned(column: &dyn Array) -> Option<UInt64Array> {
    fn of<T: ArrowPrimitiveType<Native: TryInto<u64>>>(column: &dyn Array) -> UInt64Array {
        column.as_primitive::<T>().unary_opt(|number| number.try_into().ok())
    }
    match column.data_type() {
        DataType::Int8 => Some(of::<Int8Type>(column)),
        DataType::Int16 => Some(of::<Int16Type>(column)),
        DataType::Int32 => Some(of::<Int32Type>(column)),
        DataType::Int64 => Some(of::<Int64Type>(column)),
        DataType::UInt8 => Some(of::<UInt8Type>(column)),
        DataType::UInt16 => Some(of::<UInt16Type>(column)),
        DataType::UInt32 => Some(of::<UInt32Type>(column)),
        _ => None,
    }
}

/// Numbers as `Float64`: those of the types that libraries choose of themselves.
fn floats(column: &dyn Array) -> Option<Float64Array> {
    match column.data_type() {
        DataType::Float32 => Some(column.as_primitive::<Float32Type>().unary(f64::from)),
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().unary(|number| number as f64)),
        DataType::UInt64 => Some(column.as_primitive::<UInt64Type>().unary(|number| number as f64)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Float64Type;
    use arrow_array::{
        BooleanArray, Float32Array, Int8Array, Int64Array, LargeStringArray, NullArray, StringArray,
        StringViewArray,
    };

    fn text() -> DataType {
        DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
    }

    fn array(array: impl Array + 'static) -> ArrayRef {
        Arc::new(array)
    }

    fn rows(column: &ArrayRef) -> Vec<Option<&str>> {
        texts(column).expect("it is text")
    }

    #[test]
    fn text_of_any_encoding_becomes_a_dictionary() {
        let words = [Some("b"), None, Some("a"), Some("b")];
        let narrow: DictionaryArray<Int8Type> = words.into_iter().collect();
        let wide = LargeStringArray::from_iter([Some("a"), Some("b")]);
        let keys = Int64Array::from_iter([Some(1), None, Some(0), Some(1)]);
        let of_wide = DictionaryArray::<Int64Type>::new(keys, Arc::new(wide));
        for column in [
            array(StringArray::from_iter(words)),
            array(LargeStringArray::from_iter(words)),
            array(StringViewArray::from_iter(words)),
            array(narrow),
            array(of_wide),
        ] {
            let made = converted(&column, &text()).expect("it is text");
            assert_eq!(*made.data_type(), text());
            assert_eq!(rows(&made), words, "{}", column.data_type());
        }
    }

    #[test]
    fn nulls_in_a_dictionarys_values_are_nulls() {
        let values = StringArray::from_iter([None, Some("a")]);
        let column = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![1, 0]), Arc::new(values));
        assert_eq!(rows(&converted(&array(column), &text()).expect("it is text")), [Some("a"), None]);
        let empty = DictionaryArray::<Int8Type>::new(
            Int8Array::from_iter([None::<i8>]),
            Arc::new(LargeStringArray::from_iter(std::iter::empty::<Option<&str>>())),
        );
        assert_eq!(rows(&converted(&array(empty), &text()).expect("it is text")), [None]);
    }

    #[test]
    fn a_column_of_its_type_is_not_copied() {
        let column = array(Float64Array::from(vec![1.0]));
        let made = converted(&column, &DataType::Float64).expect("it is of the type");
        assert!(Arc::ptr_eq(&made, &column));
    }

    #[test]
    fn numbers_of_any_width_are_converted() {
        let column = array(Int64Array::from_iter([Some(7), None]));
        let made = converted(&column, &DataType::UInt64).expect("they fit");
        assert_eq!(*made.as_primitive::<UInt64Type>(), UInt64Array::from_iter([Some(7), None]));
        let made = converted(&column, &DataType::Float64).expect("they fit");
        assert_eq!(*made.as_primitive::<Float64Type>(), Float64Array::from_iter([Some(7.0), None]));
        let made = converted(&array(Float32Array::from(vec![0.5])), &DataType::Float64).expect("it fits");
        assert_eq!(made.as_primitive::<Float64Type>().value(0), 0.5);
    }

    #[test]
    fn a_column_of_nulls_may_be_of_any_type() {
        for wanted in [text(), DataType::UInt64, DataType::Float64] {
            let made = converted(&array(NullArray::new(3)), &wanted).expect("there is no value");
            assert_eq!((made.data_type(), made.logical_null_count()), (&wanted, 3));
        }
    }

    #[test]
    fn other_columns_are_refused() {
        let refusal = |column: ArrayRef, wanted| converted(&column, &wanted).expect_err("it is refused");
        let truth = || array(BooleanArray::from(vec![true]));
        assert_eq!(refusal(truth(), DataType::Float64), "must be of type Float64, got Boolean");
        assert_eq!(refusal(truth(), DataType::UInt64), "must be of type UInt64, got Boolean");
        assert_eq!(refusal(truth(), text()), "must be of type Dictionary(Int32, Utf8), got Boolean");
        let words = array(StringArray::from(vec!["1"]));
        assert_eq!(refusal(words, DataType::Float64), "must be of type Float64, got Utf8");
        let below = array(Int8Array::from(vec![3, -1]));
        assert_eq!(refusal(below, DataType::UInt64), "must hold whole numbers >= 0, got one below zero");
    }
}
