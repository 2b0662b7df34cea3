//! Metadata preserved by a clone, resubmission or recirculation.

use rustc_hash::FxHashMap;

use super::Checker;
use super::ty::Ty;
use super::value::{Kind, Value};
use crate::ir::{FieldList, FieldListChoice, FieldListId, Place, Step};
use crate::source::Span;

impl Checker<'_> {
    /// Field list of the forms before 2020: the metadata places among the data.
    pub(super) fn field_list_of(&mut self, data: &Value, span: Span) -> Option<FieldListChoice> {
        let mut places = Vec::new();
        self.metadata_places(data, span, &mut places)?;
        if places.is_empty() {
            return Some(FieldListChoice::Nothing);
        }
        Some(FieldListChoice::Of(self.add_list(FieldList { places })))
    }

    fn metadata_places(&mut self, data: &Value, span: Span, places: &mut Vec<Place>) -> Option<()> {
        if let Some(place) = data.place() {
            let kept = match &self.output.shared {
                Some([_, (metadata, _), (standard, _)]) => place.root == *metadata || place.root == *standard,
                None => false,
            };
            if kept && super::place::is_static(place) {
                places.push(place.clone());
            }
            return Some(());
        }
        match &data.kind {
            Kind::List { .. } | Kind::Record { .. } | Kind::Fields(_) => self.deeper(span, |checker| {
                for part in checker.parts(data, span)? {
                    checker.metadata_places(&part, span, places)?;
                }
                Some(())
            }),
            _ => Some(()),
        }
    }

    fn add_list(&mut self, list: FieldList) -> FieldListId {
        self.output.field_lists.push(list);
        FieldListId(u32::try_from(self.output.field_lists.len() - 1).unwrap_or(u32::MAX))
    }

    /// Field lists from the metadata's `@field_list` annotations.
    pub(super) fn numbered_lists(&mut self, span: Span) -> FxHashMap<u8, FieldListId> {
        let mut lists = FxHashMap::default();
        let Some([_, metadata, standard]) = self.output.shared.clone() else { return lists };
        for (root, ty) in [metadata, standard] {
            if let Some(id) = self.lower_ty(&ty, span) {
                self.collect_lists(Place::variable(root, id), &ty, span, &mut lists);
            }
        }
        lists
    }

    fn collect_lists(&mut self, at: Place, ty: &Ty, span: Span, lists: &mut FxHashMap<u8, FieldListId>) {
        let Ty::Composite(_, id) = ty else { return };
        let fields = self.types.fields(*id);
        for (index, field) in (0u32..).zip(fields.iter()) {
            let Some(id) = self.lower_ty(&field.ty, span) else { continue };
            let place = at.step(Step::Field(index), id);
            for number in &field.lists {
                let list = match lists.get(number) {
                    Some(list) => *list,
                    None => {
                        let list = self.add_list(FieldList::default());
                        lists.insert(*number, list);
                        list
                    }
                };
                self.output.field_lists[list.index()].places.push(place.clone());
            }
            self.collect_lists(place, &field.ty, span, lists);
        }
    }
}
