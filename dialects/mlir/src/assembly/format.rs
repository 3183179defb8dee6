//! A format with its names resolved.

use super::literal::Literal;
use crate::{
    def::{AttrKind, Cardinality, Element, OpDef, Scalar, TypeConstraint, ValueDef},
    dialect::{Typed, typed},
    ffi::{MlirStringRef, text},
};

/// The format of an operation.
#[derive(Debug)]
pub(crate) struct Format {
    /// What to parse or print, in order.
    pub(super) steps: Vec<Step>,
    /// Where the types of each group of operands come from.
    pub(super) operand_types: Vec<TypeSource>,
    /// Where the types of each group of results come from.
    pub(super) result_types: Vec<TypeSource>,
    /// The names of the attributes which the format prints, so that `attr-dict` leaves them out.
    pub(super) printed: Vec<MlirStringRef>,
    /// Whether some inherent attribute is left to `attr-dict`.
    pub(crate) leaves_attributes: bool,
}

// SAFETY: the references are to static texts.
unsafe impl Send for Format {}
// SAFETY: as above.
unsafe impl Sync for Format {}

/// One thing to parse or print.
#[derive(Debug)]
pub(super) enum Step {
    Literal(Literal),
    /// A group of operands.
    Operands(usize),
    /// All operands in one list.
    AllOperands,
    /// An attribute, by its slot.
    Attribute(usize),
    /// A region.
    Region(usize),
    /// The attributes that are not printed, perhaps after `attributes`.
    AttrDict {
        keyword: bool,
    },
    /// A list of types.
    Types(Values),
    /// `(ins) -> outs`
    FunctionalType(Values, Values),
    Optional(Optional),
}

/// Operands or results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    Operands(usize),
    AllOperands,
    Results(usize),
    AllResults,
}

/// Steps that are there if an anchor is.
#[derive(Debug)]
pub(super) struct Optional {
    pub then: Vec<Step>,
    pub otherwise: Vec<Step>,
    pub anchor: Anchor,
    /// The slot of a unit attribute which says nothing but that the group is there.
    pub unit: Option<usize>,
    /// How many regions `then` has.
    pub regions: usize,
}

/// What decides about an optional group when printing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Operands(usize),
    AllOperands,
    Results(usize),
    Attribute(usize),
    Region(usize),
}

/// Where the types of a group come from when parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeSource {
    /// From `type` or `functional-type` of this group.
    Written,
    /// From the types of all operands or results.
    All,
    /// The first type of another group of operands.
    SameAsOperand(usize),
    /// The first type of another group of results.
    SameAsResult(usize),
    /// Always the same type.
    Builtin(Scalar),
}

impl Format {
    /// Resolves a format; what is wrong with it otherwise.
    pub(crate) fn new(
        def: &'static OpDef,
        same_types: &[Vec<Typed>],
        elements: &'static [Element],
    ) -> Result<Format, String> {
        let mut resolver = Resolver {
            def,
            next_region: 0,
            written: Vec::new(),
            printed: Vec::new(),
            dictionaries: 0,
            lists_all: false,
        };
        let steps = resolver.steps(elements)?;
        let Resolver { next_region, written, mut printed, dictionaries, lists_all, .. } = resolver;
        if next_region != def.regions.len() {
            return Err(format!("the format leaves out region '{}'", def.regions[next_region]));
        }
        if dictionaries != 1 {
            return Err("the format needs one 'attr-dict'".into());
        }
        let leaves_attributes = def.attrs.iter().any(|attr| !printed.contains(&attr.name));
        printed.extend(def.sized_operands.then_some("operandSegmentSizes"));
        let printed = printed.into_iter().map(text::as_ref).collect();
        let sources = Sources { same_types, written: &written };
        let operand_types = sources.of(def.operands, Values::Operands, Values::AllOperands, Typed::Operand)?;
        let result_types = sources.of(def.results, Values::Results, Values::AllResults, Typed::Result)?;
        if lists_all && (def.sized_operands || operand_types.first().is_some_and(|source| *source != TypeSource::All)) {
            return Err("'operands' goes with the types of all operands, and with operands that are not sized".into());
        }
        Ok(Format { steps, operand_types, result_types, printed, leaves_attributes })
    }
}

/// The state of resolving.
struct Resolver {
    def: &'static OpDef,
    /// Regions come in the order of the table.
    next_region: usize,
    /// The values whose types the format has.
    written: Vec<Values>,
    /// The attributes which the format prints.
    printed: Vec<&'static str>,
    dictionaries: usize,
    /// Whether `operands` stands in the format.
    lists_all: bool,
}

impl Resolver {
    fn steps(&mut self, elements: &'static [Element]) -> Result<Vec<Step>, String> {
        elements.iter().map(|element| self.step(element)).collect()
    }

    fn step(&mut self, element: &'static Element) -> Result<Step, String> {
        Ok(match element {
            Element::Literal(text) => Step::Literal(Literal::new(text)?),
            Element::Variable(name) => self.variable(name)?,
            Element::Operands => {
                self.lists_all = true;
                Step::AllOperands
            }
            Element::Results => return Err("'results' stands only in 'type(results)' and 'functional-type'".into()),
            Element::AttrDict | Element::AttrDictWithKeyword => {
                self.dictionaries += 1;
                Step::AttrDict { keyword: matches!(element, Element::AttrDictWithKeyword) }
            }
            Element::Type(name) => Step::Types(self.types(name)?),
            Element::FunctionalType(ins, outs) => Step::FunctionalType(self.types(ins)?, self.types(outs)?),
            Element::Optional { then, anchor, otherwise } => Step::Optional(self.optional(then, anchor, otherwise)?),
        })
    }

    fn variable(&mut self, name: &'static str) -> Result<Step, String> {
        if let Some(region) = self.def.regions.iter().position(|region| *region == name) {
            if region != self.next_region {
                return Err(format!("region '{name}' is out of order in the format"));
            }
            self.next_region += 1;
            return Ok(Step::Region(region));
        }
        match typed(self.def, name)? {
            Typed::Operand(group) => Ok(Step::Operands(group)),
            Typed::Result(_) => Err(format!("result '{name}' is written by MLIR, not by the format")),
            Typed::Attribute(slot) => {
                self.printed.push(name);
                Ok(Step::Attribute(slot))
            }
        }
    }

    fn types(&mut self, name: &'static str) -> Result<Values, String> {
        let values = match name {
            "operands" => Values::AllOperands,
            "results" => Values::AllResults,
            name => match typed(self.def, name)? {
                Typed::Operand(group) => Values::Operands(group),
                Typed::Result(group) => Values::Results(group),
                Typed::Attribute(_) => return Err(format!("attribute '{name}' has no type to write")),
            },
        };
        self.written.push(values);
        Ok(values)
    }

    fn optional(
        &mut self,
        then: &'static [Element],
        anchor: &'static str,
        otherwise: &'static [Element],
    ) -> Result<Optional, String> {
        let before = self.next_region;
        let mut steps = self.steps(then)?;
        let regions = self.next_region - before;
        let anchor = self.anchor(anchor)?;
        // A unit attribute says nothing but that the group is there: it is neither parsed nor printed.
        let unit = match anchor {
            Anchor::Attribute(slot) if self.def.attrs[slot].kind == AttrKind::Unit => Some(slot),
            _ => None,
        };
        steps.retain(|step| !matches!((step, unit), (Step::Attribute(slot), Some(unit)) if *slot == unit));
        match steps.first() {
            None => return Err("an optional group needs something before its unit attribute".into()),
            Some(Step::AttrDict { .. } | Step::FunctionalType(..) | Step::Optional(_)) => {
                return Err("an optional group starts with a literal, a variable or 'type'".into());
            }
            Some(Step::Attribute(slot)) if self.def.attrs[*slot].kind == AttrKind::Unit => {
                return Err("a unit attribute stands after a literal".into());
            }
            Some(_) => {}
        }
        let otherwise = self.steps(otherwise)?;
        if self.next_region != before + regions {
            return Err("the other side of an optional group has a region".into());
        }
        Ok(Optional { then: steps, otherwise, anchor, unit, regions })
    }

    fn anchor(&self, name: &str) -> Result<Anchor, String> {
        if name == "operands" {
            return Ok(Anchor::AllOperands);
        }
        if let Some(region) = self.def.regions.iter().position(|region| *region == name) {
            return Ok(Anchor::Region(region));
        }
        Ok(match typed(self.def, name)? {
            Typed::Operand(group) => Anchor::Operands(group),
            Typed::Result(group) => Anchor::Results(group),
            Typed::Attribute(slot) => Anchor::Attribute(slot),
        })
    }
}

/// Finds where types come from.
struct Sources<'r> {
    same_types: &'r [Vec<Typed>],
    written: &'r [Values],
}

impl Sources<'_> {
    fn of(
        &self,
        defs: &[ValueDef],
        values: fn(usize) -> Values,
        all: Values,
        member: fn(usize) -> Typed,
    ) -> Result<Vec<TypeSource>, String> {
        defs.iter()
            .enumerate()
            .map(|(group, def)| {
                if self.written.contains(&all) {
                    Ok(TypeSource::All)
                } else if self.written.contains(&values(group)) {
                    Ok(TypeSource::Written)
                } else if all == Values::AllResults && def.cardinality != Cardinality::One {
                    Err(format!("only the types of '{}' can say how many results there are", def.name))
                } else if let Some(source) = self.same_as(member(group)) {
                    Ok(source)
                } else if let Some(scalar) = builtin(def) {
                    Ok(TypeSource::Builtin(scalar))
                } else {
                    Err(format!("the format leaves out the type of '{}'", def.name))
                }
            })
            .collect()
    }

    /// Another member of a set of equal types that is written.
    fn same_as(&self, member: Typed) -> Option<TypeSource> {
        self.same_types.iter().filter(|set| set.contains(&member)).flatten().find_map(|other| match *other {
            Typed::Operand(group) if self.written.contains(&Values::Operands(group)) => {
                Some(TypeSource::SameAsOperand(group))
            }
            Typed::Result(group) if self.written.contains(&Values::Results(group)) => {
                Some(TypeSource::SameAsResult(group))
            }
            _ => None,
        })
    }
}

/// The only type a single value can have.
fn builtin(def: &ValueDef) -> Option<Scalar> {
    match def.constraint {
        TypeConstraint::Scalar(scalar) if scalar != Scalar::Any => Some(scalar),
        _ => None,
    }
}

impl Values {
    /// Whether exactly one type is written.
    pub(super) fn is_one(self, def: &OpDef) -> bool {
        let one = |defs: &[ValueDef], group: usize| defs[group].cardinality == Cardinality::One;
        match self {
            Values::Operands(group) => one(def.operands, group),
            Values::Results(group) => one(def.results, group),
            Values::AllOperands | Values::AllResults => false,
        }
    }

    /// Whether several types may be written.
    pub(super) fn is_many(self, def: &OpDef) -> bool {
        let many = |defs: &[ValueDef], group: usize| defs[group].cardinality == Cardinality::Variadic;
        match self {
            Values::Operands(group) => many(def.operands, group),
            Values::Results(group) => many(def.results, group),
            Values::AllOperands | Values::AllResults => true,
        }
    }
}
