//! The rules that tie a format to its operation: everything the parser of the operation needs must be in the text, once.

use super::{Element, ElementKind};
use crate::error::{Error, Location};
use crate::model::{AttributeKind, Cardinality, Constraint, Op, Scalar, Values};
use std::collections::BTreeMap;

/// Checks a format; `start` is where errors point that are about something missing.
pub(super) fn check(elements: &[Element], op: &Op, start: &Location) -> Result<(), Error> {
    let mut checker = Checker { op, seen: BTreeMap::new(), typed: BTreeMap::new(), dictionary: None };
    elements.iter().try_for_each(|element| checker.element(element, false))?;
    checker.endings(elements)?;
    checker.complete(start)
}

struct Checker<'a> {
    op: &'a Op,
    /// The operands, attributes and regions the format has, and where. `operands` for all operands.
    seen: BTreeMap<&'a str, &'a Location>,
    /// The operands and results whose types the format has. `operands` and `results` for all of them.
    typed: BTreeMap<&'a str, &'a Location>,
    dictionary: Option<&'a Location>,
}

/// What a name in a format stands for.
enum Meaning<'a> {
    Values(&'a Values),
    Attribute { kind: AttributeKind, optional: bool },
    Region,
}

impl<'a> Checker<'a> {
    fn meaning(&self, name: &str) -> Option<Meaning<'a>> {
        if let Some(attribute) = self.op.attribute(name) {
            return Some(Meaning::Attribute { kind: attribute.kind, optional: attribute.optional });
        }
        if self.op.regions.iter().any(|region| region.name == name) {
            return Some(Meaning::Region);
        }
        self.op.operand(name).map(Meaning::Values)
    }

    fn element(&mut self, element: &'a Element, in_group: bool) -> Result<(), Error> {
        let place = &element.location;
        match &element.kind {
            ElementKind::Literal(_) => Ok(()),
            ElementKind::Variable(name) => self.variable(name, place, in_group),
            ElementKind::AttrDict { .. } if in_group => {
                Err(Error::new(place, "the attribute dictionary cannot be in an optional group"))
            }
            ElementKind::AttrDict { .. } => match self.dictionary.replace(place) {
                None => Ok(()),
                Some(first) => Err(twice("the attribute dictionary", place, first)),
            },
            ElementKind::Type(name) => self.types_of(name, place),
            ElementKind::FunctionalType(..) | ElementKind::Operands if in_group => {
                Err(Error::new(place, "only literals, variables and types can be in an optional group"))
            }
            ElementKind::FunctionalType(inputs, results) => {
                self.types_of(inputs, place)?;
                self.types_of(results, place)
            }
            ElementKind::Operands => self.once("operands", place),
            ElementKind::Optional { then, anchor, otherwise } => self.optional(then, anchor, otherwise, place),
        }
    }

    fn once(&mut self, name: &'a str, place: &'a Location) -> Result<(), Error> {
        match self.seen.insert(name, place) {
            None => Ok(()),
            Some(first) => Err(twice(&format!("'{name}'"), place, first)),
        }
    }

    fn variable(&mut self, name: &'a str, place: &'a Location, in_group: bool) -> Result<(), Error> {
        match self.meaning(name) {
            None if self.op.result(name).is_some() => {
                return Err(Error::new(place, format!("the result '{name}' can only be used in 'type'")));
            }
            None => {
                let message = format!("'{}' has no operand, attribute or region '{name}'", self.op.name);
                return Err(Error::new(place, message));
            }
            Some(Meaning::Attribute { kind: AttributeKind::Unit, .. }) if !in_group => {
                return Err(Error::new(place, format!("the unit attribute '{name}' must be in an optional group")));
            }
            Some(Meaning::Attribute { optional: true, .. }) if !in_group => {
                return Err(Error::new(place, format!("the optional attribute '{name}' must be in an optional group")));
            }
            Some(Meaning::Attribute { optional: false, .. }) if in_group => {
                return Err(Error::new(
                    place,
                    format!("the attribute '{name}' is required, but its group is optional"),
                ));
            }
            Some(Meaning::Region) => {
                let earlier = self.op.regions.iter().take_while(|region| region.name != name);
                if let Some(missing) = earlier.into_iter().find(|region| !self.seen.contains_key(region.name.as_str()))
                {
                    let message = format!("the region '{}' must come before '{name}', as it is defined", missing.name);
                    return Err(Error::new(place, message));
                }
            }
            Some(Meaning::Values(group)) if in_group && group.cardinality == Cardinality::One => {
                return Err(Error::new(place, format!("the operand '{name}' is required, but its group is optional")));
            }
            Some(_) => {}
        }
        self.once(name, place)
    }

    fn types_of(&mut self, name: &'a str, place: &'a Location) -> Result<(), Error> {
        let is_group = self.op.operand(name).is_some() || self.op.result(name).is_some();
        if !is_group && name != "operands" && name != "results" {
            return Err(Error::new(place, format!("'{}' has no operand or result '{name}'", self.op.name)));
        }
        match self.typed.insert(name, place) {
            None => Ok(()),
            Some(first) => Err(twice(&format!("the type of '{name}'"), place, first)),
        }
    }

    fn optional(
        &mut self,
        then: &'a [Element],
        anchor: &str,
        otherwise: &'a [Element],
        place: &Location,
    ) -> Result<(), Error> {
        then.iter().chain(otherwise).try_for_each(|element| self.element(element, true))?;
        for element in otherwise {
            if matches!(&element.kind, ElementKind::Variable(name) if matches!(self.meaning(name), Some(Meaning::Region)))
            {
                return Err(Error::new(&element.location, "a region cannot be in the second part of a group"));
            }
        }
        let may_be_absent = match self.meaning(anchor) {
            Some(Meaning::Values(group)) => group.cardinality != Cardinality::One,
            Some(Meaning::Attribute { optional, .. }) => optional,
            Some(Meaning::Region) => true,
            None => self.op.result(anchor).is_some_and(|group| group.cardinality != Cardinality::One),
        };
        if !may_be_absent {
            return Err(Error::new(place, format!("the anchor '{anchor}' of this group is always present")));
        }
        match then.first().map(|first| &first.kind) {
            Some(ElementKind::Variable(name)) => match self.meaning(name) {
                Some(Meaning::Attribute { kind: AttributeKind::Unit, .. }) => Err(Error::new(
                    place,
                    format!("the unit attribute '{name}' cannot begin a group: it needs a literal before it"),
                )),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// What the parser would read on through: an attribute of any kind may itself end with `: type`, and a list goes on
    /// after `,`.
    fn endings(&self, elements: &[Element]) -> Result<(), Error> {
        for element in elements {
            if let ElementKind::Optional { then, otherwise, .. } = &element.kind {
                self.endings(then)?;
                self.endings(otherwise)?;
            }
        }
        for pair in elements.windows(2) {
            let [before, Element { kind: ElementKind::Literal(text), location }] = pair else { continue };
            let message = match (text.as_str(), &before.kind) {
                (":", ElementKind::Variable(name)) if self.is_any_attribute(name) => {
                    format!("':' after the attribute '{name}' would be taken for the attribute's type")
                }
                (",", kind) if self.is_list(kind) => "',' after a list would be taken for a part of it".to_string(),
                _ => continue,
            };
            return Err(Error::new(location, message));
        }
        Ok(())
    }

    fn is_any_attribute(&self, name: &str) -> bool {
        self.op.attribute(name).is_some_and(|attribute| attribute.kind == AttributeKind::Any)
    }

    fn is_list(&self, kind: &ElementKind) -> bool {
        match kind {
            ElementKind::Operands => true,
            ElementKind::Variable(name) | ElementKind::Type(name) => {
                let group = self.op.operand(name).or(self.op.result(name));
                ["operands", "results"].contains(&name.as_str())
                    || group.is_some_and(|group| group.cardinality == Cardinality::Variadic)
            }
            _ => false,
        }
    }

    /// Whatever the format must have.
    fn complete(&self, start: &Location) -> Result<(), Error> {
        let op = self.op;
        if self.dictionary.is_none() {
            return Err(Error::new(start, "the format has no 'attr-dict'"));
        }
        let all = self.seen.get("operands");
        if let Some(place) = all
            && (op.sized_operands || !self.typed.contains_key("operands"))
        {
            let message = "'operands' needs the types of 'operands', and operands without 'AttrSizedOperandSegments'";
            return Err(Error::new(place, message));
        }
        for group in &op.operands {
            match (all, self.seen.get(group.name.as_str())) {
                (None, None) => {
                    return Err(Error::new(start, format!("the format lacks the operand '{}'", group.name)));
                }
                (Some(all), Some(one)) => return Err(twice(&format!("'{}'", group.name), one, all)),
                _ => {}
            }
        }
        for region in &op.regions {
            if !self.seen.contains_key(region.name.as_str()) {
                return Err(Error::new(start, format!("the format lacks the region '{}'", region.name)));
            }
        }
        self.typed_once("operand", &op.operands, "operands", start)?;
        self.typed_once("result", &op.results, "results", start)
    }

    fn typed_once(&self, what: &str, groups: &[Values], all: &str, start: &Location) -> Result<(), Error> {
        for group in groups {
            let name = group.name.as_str();
            match (self.typed.get(all), self.typed.get(name)) {
                (Some(all), Some(one)) => return Err(twice(&format!("the type of '{name}'"), one, all)),
                (None, None) if !self.follows(group) => {
                    let message = format!("the type of the {what} '{name}' does not follow from the format");
                    return Err(Error::new(start, message));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the types of a group are known without being written: each can only be one, or that of something written.
    fn follows(&self, group: &Values) -> bool {
        let is_operand = self.op.operand(&group.name).is_some();
        let is_counted = is_operand || group.cardinality == Cardinality::One;
        let is_matched = |set: &Vec<String>| {
            set.contains(&group.name) && set.iter().any(|name| self.typed.contains_key(name.as_str()))
        };
        is_counted && (has_one_type(group) || self.op.same_types.iter().any(is_matched))
    }
}

/// Whether the constraint leaves one type only.
fn has_one_type(group: &Values) -> bool {
    matches!(group.constraint, Constraint::Scalar(scalar) if scalar != Scalar::Any)
}

fn twice(what: &str, second: &Location, first: &Location) -> Error {
    Error::new(second, format!("{what} is in the format twice")).note(first, "first here")
}
