//! Conversion of Arrow arrays to columns. Other libraries write text with or without dictionaries and choose their
//! own widths of numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::column::{Cell, Column};
use super::schema::ColumnType;

/// Converts an array to a column of type `wanted`.
///
/// # Errors
/// If the array has another type, a number is out of range, or a value other than a floating-point number is missing.
/// The message says what is required and what was found.
pub(super) fn converted(array: &ArrayRef, wanted: ColumnType) -> Result<Column, String> {
    let mut column = Column::new(wanted);
    let is_whole = match (array.data_type(), &mut column) {
        // Libraries give an array without values an arbitrary type.
        (DataType::Null, Column::Float(all)) => {
            all.resize(array.len(), f64::NAN);
            Some(true)
        }
        (DataType::Null, Column::Optional(all)) => {
            all.resize(array.len(), None);
            Some(true)
        }
        (DataType::Null, _) => Some(array.is_empty()),
        (_, Column::Text { .. }) => texts(array).map(|texts| {
            let present = texts.iter().copied().map_while(|text| text);
            present.for_each(|text| column.push(Cell::Text(text)));
            column.len() == texts.len()
        }),
        (_, Column::Unsigned(all)) => integers(array, all),
        (_, Column::Optional(all)) => optional_integers(array, all),
        (_, Column::Signed(all)) => integers(array, all),
        (_, Column::Float(all)) => floats(array).map(|values| {
            all.extend(values.into_iter().map(|value| value.unwrap_or(f64::NAN)));
            true
        }),
    };
    let required = match wanted {
        ColumnType::Text => "text",
        ColumnType::Unsigned | ColumnType::Optional => "whole numbers >= 0",
        ColumnType::Signed => "whole numbers",
        ColumnType::Float => "numbers",
    };
    match is_whole {
        Some(true) => Ok(column),
        Some(false) => Err(format!("must hold {required}, got a value that is missing or out of range")),
        None => Err(format!("must hold {required}, got {}", array.data_type())),
    }
}

/// The text of each row, in any encoding.
fn texts(array: &dyn Array) -> Option<Vec<Option<&str>>> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = texts(dictionary.values())?;
        if values.is_empty() {
            return Some(vec![None; array.len()]);
        }
        let keys = dictionary.normalized_keys().into_iter().enumerate();
        return Some(keys.map(|(row, key)| if array.is_valid(row) { values[key] } else { None }).collect());
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Some(array.as_string_view().iter().collect()),
        _ => None,
    }
}

/// Appends integers of any width; returns whether all are present and in range, or `None` for other types.
fn integers<N>(array: &dyn Array, all: &mut Vec<N>) -> Option<bool>
where
    N: TryFrom<i8> + TryFrom<i16> + TryFrom<i32> + TryFrom<i64>,
    N: TryFrom<u8> + TryFrom<u16> + TryFrom<u32> + TryFrom<u64>,
{
    fn of<T: ArrowPrimitiveType<Native: TryInto<N>>, N>(array: &dyn Array, all: &mut Vec<N>) -> bool {
        all.extend(array.as_primitive::<T>().iter().map_while(|value| value?.try_into().ok()));
        all.len() == array.len()
    }
    match array.data_type() {
        DataType::Int8 => Some(of::<Int8Type, N>(array, all)),
        DataType::Int16 => Some(of::<Int16Type, N>(array, all)),
        DataType::Int32 => Some(of::<Int32Type, N>(array, all)),
        DataType::Int64 => Some(of::<Int64Type, N>(array, all)),
        DataType::UInt8 => Some(of::<UInt8Type, N>(array, all)),
        DataType::UInt16 => Some(of::<UInt16Type, N>(array, all)),
        DataType::UInt32 => Some(of::<UInt32Type, N>(array, all)),
        DataType::UInt64 => Some(of::<UInt64Type, N>(array, all)),
        _ => None,
    }
}

/// Appends integers that may be missing; returns whether all present ones are in range, or `None` for other types. Libraries
/// make floating-point numbers of integers beside missing values.
fn optional_integers(array: &dyn Array, all: &mut Vec<Option<u64>>) -> Option<bool> {
    let values: Vec<Option<f64>> = match array.data_type() {
        DataType::UInt64 => {
            all.extend(array.as_primitive::<UInt64Type>().iter());
            return Some(true);
        }
        _ => floats(array)?,
    };
    // Above 2^53 not every integer is a floating-point number.
    let is_whole = |value: &f64| *value >= 0.0 && *value <= 9_007_199_254_740_992.0 && value.fract() == 0.0;
    let present = |value: Option<f64>| value.filter(|value| !value.is_nan());
    let is_right = values.iter().copied().filter_map(present).all(|value| is_whole(&value));
    all.extend(values.into_iter().map(|value| present(value).map(|value| value as u64)));
    Some(is_right)
}

/// Numbers of any type that libraries choose; `None` for other types.
fn floats(array: &dyn Array) -> Option<Vec<Option<f64>>> {
    match array.data_type() {
        DataType::Float32 => {
            Some(array.as_primitive::<Float32Type>().iter().map(|v| v.map(f64::from)).collect())
        }
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().iter().collect()),
        DataType::Int64 => {
            Some(array.as_primitive::<Int64Type>().iter().map(|v| v.map(|v| v as f64)).collect())
        }
        DataType::UInt64 => {
            Some(array.as_primitive::<UInt64Type>().iter().map(|v| v.map(|v| v as f64)).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use arrow_array::{
        BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array, LargeStringArray,
        NullArray, StringArray, StringViewArray, UInt64Array,
    };

    fn array(array: impl Array + 'static) -> ArrayRef {
        Arc::new(array)
    }

    fn cells(array: &ArrayRef, wanted: ColumnType) -> Vec<Cell<'static>> {
        let column = Box::leak(Box::new(converted(array, wanted).expect("it can be converted")));
        (0..column.len()).map(|row| column.cell(row)).collect()
    }

    fn refusal(array: ArrayRef, wanted: ColumnType) -> String {
        converted(&array, wanted).expect_err("it is refused")
    }

    #[test]
    fn text_of_any_encoding_is_read() {
        let words = ["b", "a", "b"];
        let narrow: DictionaryArray<Int8Type> = words.into_iter().collect();
        let wide = LargeStringArray::from_iter_values(["a", "b"]);
        let of_wide = DictionaryArray::<Int64Type>::new(Int64Array::from(vec![1, 0, 1]), Arc::new(wide));
        for found in [
            array(StringArray::from_iter_values(words)),
            array(LargeStringArray::from_iter_values(words)),
            array(StringViewArray::from_iter_values(words)),
            array(narrow),
            array(of_wide),
        ] {
            assert_eq!(cells(&found, ColumnType::Text), words.map(Cell::Text), "{}", found.data_type());
        }
    }

    #[test]
    fn missing_text_is_refused_wherever_it_is_missing() {
        let keys = || Int8Array::from_iter([Some(0), None]);
        let of_null_key = DictionaryArray::<Int8Type>::new(keys(), array(StringArray::from(vec!["a"])));
        let values = StringArray::from_iter([None, Some("a")]);
        let of_null_value = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![1, 0]), array(values));
        let empty = StringArray::from_iter(std::iter::empty::<Option<&str>>());
        let of_nothing = DictionaryArray::<Int8Type>::new(Int8Array::from_iter([None::<i8>]), array(empty));
        for found in [
            array(StringArray::from_iter([Some("a"), None])),
            array(of_null_key),
            array(of_null_value),
            array(of_nothing),
            array(NullArray::new(1)),
        ] {
            let said = refusal(found, ColumnType::Text);
            assert_eq!(said, "must hold text, got a value that is missing or out of range");
        }
    }

    #[test]
    fn numbers_of_any_width_are_read() {
        for found in [
            array(Int64Array::from(vec![7])),
            array(Int8Array::from(vec![7])),
            array(UInt64Array::from(vec![7])),
        ] {
            assert_eq!(cells(&found, ColumnType::Unsigned), [Cell::Unsigned(7)]);
            assert_eq!(cells(&found, ColumnType::Signed), [Cell::Signed(7)]);
        }
        for found in [
            array(Int64Array::from(vec![7])),
            array(UInt64Array::from(vec![7])),
            array(Float32Array::from(vec![7.0])),
        ] {
            assert_eq!(cells(&found, ColumnType::Float), [Cell::Float(Some(7.0))]);
        }
        let found = array(Float64Array::from_iter([Some(0.5), None]));
        assert_eq!(cells(&found, ColumnType::Float), [Cell::Float(Some(0.5)), Cell::Float(None)]);
    }

    #[test]
    fn arrays_without_a_value_have_no_type() {
        assert_eq!(cells(&array(NullArray::new(2)), ColumnType::Float), [Cell::Float(None); 2]);
        for wanted in [ColumnType::Text, ColumnType::Unsigned, ColumnType::Signed] {
            assert_eq!(cells(&array(NullArray::new(0)), wanted), []);
        }
    }

    #[test]
    fn other_arrays_are_refused() {
        let truth = || array(BooleanArray::from(vec![true]));
        assert_eq!(refusal(truth(), ColumnType::Float), "must hold numbers, got Boolean");
        assert_eq!(refusal(truth(), ColumnType::Unsigned), "must hold whole numbers >= 0, got Boolean");
        assert_eq!(refusal(truth(), ColumnType::Text), "must hold text, got Boolean");
        let words = array(StringArray::from(vec!["1"]));
        assert_eq!(refusal(words, ColumnType::Float), "must hold numbers, got Utf8");
        let out_of_range = "must hold whole numbers >= 0, got a value that is missing or out of range";
        assert_eq!(refusal(array(Int8Array::from(vec![3, -1])), ColumnType::Unsigned), out_of_range);
        assert_eq!(
            refusal(array(UInt64Array::from_iter([Some(3), None])), ColumnType::Unsigned),
            out_of_range
        );
        let large = array(UInt64Array::from(vec![u64::MAX]));
        let out_of_range = "must hold whole numbers, got a value that is missing or out of range";
        assert_eq!(refusal(large, ColumnType::Signed), out_of_range);
    }
}
