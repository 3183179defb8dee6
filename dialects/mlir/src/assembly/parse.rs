//! The parser of all formats.

use super::format::{Format, Optional, Step, TypeSource, Values};
use crate::{
    def::{Cardinality, Scalar},
    dialect::{MAX_GROUPS, OpInfo, Range},
    ffi::{
        self, MlirType, panic,
        shim::{self, AssemblyParser, User},
        text,
    },
};

/// Something was wrong and has been reported.
struct Reported;

/// Whether something optional was there.
type Parsed = Result<bool, Reported>;

/// The shim's `CkeOp::parse`.
pub(crate) unsafe extern "C" fn parse(raw: *mut AssemblyParser, user: User) -> i8 {
    // SAFETY: the shim gives back the table.
    let info = unsafe { &*user.cast::<OpInfo>() };
    let Some(format) = &info.format else { return 0 };
    let outcome = panic::catch(|| {
        let mut parser = Parser::new(raw, info, format);
        parser.steps(&format.steps).and_then(|()| parser.finish())
    });
    match outcome {
        Ok(Ok(())) => 1,
        Ok(Err(Reported)) => 0,
        Err(message) => {
            let message = format!("internal error: the parser panicked: {message}");
            // SAFETY: the parser is valid during the call.
            unsafe { shim::ckeParseError(raw, text::as_ref(&message)) }
            0
        }
    }
}

/// One operation being parsed. The shim collects operands and types in the order of the text; here is which belong to
/// which group.
struct Parser<'f> {
    raw: *mut AssemblyParser,
    info: &'f OpInfo,
    format: &'f Format,
    operands: [Range; MAX_GROUPS],
    operand_count: u32,
    /// All operands, if they are written as one list.
    listed: Option<Range>,
    operand_types: [Option<Range>; MAX_GROUPS],
    result_types: [Option<Range>; MAX_GROUPS],
    all_operand_types: Range,
    all_result_types: Range,
    type_count: u32,
}

/// All functions of the shim are called with a parser that is valid during the call of [`parse`].
impl<'f> Parser<'f> {
    fn new(raw: *mut AssemblyParser, info: &'f OpInfo, format: &'f Format) -> Parser<'f> {
        Parser {
            raw,
            info,
            format,
            operands: [Range::default(); MAX_GROUPS],
            operand_count: 0,
            listed: None,
            operand_types: [None; MAX_GROUPS],
            result_types: [None; MAX_GROUPS],
            all_operand_types: Range::default(),
            all_result_types: Range::default(),
            type_count: 0,
        }
    }

    fn steps(&mut self, steps: &'f [Step]) -> Result<(), Reported> {
        steps.iter().try_for_each(|step| match step {
            Step::Optional(optional) => self.optional(optional),
            step => self.step(step, false).map(|_| ()),
        })
    }

    fn optional(&mut self, optional: &'f Optional) -> Result<(), Reported> {
        let (first, rest) = optional.then.split_first().expect("a group that is not empty, as the format was resolved");
        if self.step(first, true)? {
            if let Some(slot) = optional.unit {
                // SAFETY: the parser is valid, its context too, and the slot exists.
                unsafe {
                    shim::ckeSetSlot(self.raw, slot as isize, ffi::mlirUnitAttrGet(shim::ckeParserContext(self.raw)))
                }
            }
            return self.steps(rest);
        }
        // An absent region is an empty one; that of `first` has been added.
        let added = usize::from(matches!(first, Step::Region(_)));
        for _ in added..optional.regions {
            // SAFETY: the parser is valid.
            unsafe { shim::ckeAddEmptyRegion(self.raw) }
        }
        self.steps(&optional.otherwise)
    }

    fn step(&mut self, step: &Step, optional: bool) -> Parsed {
        let raw = self.raw;
        // SAFETY: the parser is valid, slots exist, texts are static.
        unsafe {
            match step {
                Step::Literal(literal) => presence(match literal.punctuation {
                    Some(code) => shim::ckeParsePunctuation(raw, code, optional.into()),
                    None => shim::ckeParseKeyword(raw, text::as_ref(literal.text), optional.into()),
                }),
                Step::Operands(group) => self.operands(*group, optional),
                Step::AllOperands => {
                    let all = self.operand_list()?;
                    self.listed = Some(all);
                    Ok(all.count > 0)
                }
                Step::Attribute(slot) => {
                    let kind = self.info.def.attrs[*slot].kind as u32;
                    presence(shim::ckeParseAttribute(raw, kind, *slot as isize, optional.into()))
                }
                Step::Region(_) => presence(shim::ckeParseRegion(raw, optional.into())),
                Step::AttrDict { keyword } => presence(shim::ckeParseAttrDict(raw, (*keyword).into())),
                Step::Types(values) => self.types(*values, optional),
                Step::FunctionalType(ins, outs) => self.functional_type(*ins, *outs),
                Step::Optional(_) => unreachable!("an optional group doesn't start with another one"),
            }
        }
    }

    fn operands(&mut self, group: usize, optional: bool) -> Parsed {
        let cardinality = self.info.def.operands[group].cardinality;
        let range = if cardinality == Cardinality::Variadic {
            self.operand_list()?
        } else {
            let optional = optional || cardinality == Cardinality::Optional;
            // SAFETY: the parser is valid.
            let present = presence(unsafe { shim::ckeParseOperand(self.raw, optional.into()) })?;
            let first = self.operand_count;
            self.operand_count += u32::from(present);
            Range { first, count: present.into() }
        };
        self.operands[group] = range;
        Ok(range.count > 0)
    }

    fn operand_list(&mut self) -> Result<Range, Reported> {
        // SAFETY: the parser is valid.
        let count = unsafe { shim::ckeParseOperands(self.raw) };
        let count = u32::try_from(count).map_err(|_| Reported)?;
        let first = self.operand_count;
        self.operand_count += count;
        Ok(Range { first, count })
    }

    fn types(&mut self, values: Values, optional: bool) -> Parsed {
        let first = self.type_count;
        let optional = optional || !values.is_one(self.info.def);
        // SAFETY: the parser is valid; punctuation 9 is the comma.
        unsafe {
            if presence(shim::ckeParseType(self.raw, optional.into()))? {
                self.type_count += 1;
                while values.is_many(self.info.def) && presence(shim::ckeParsePunctuation(self.raw, 9, 1))? {
                    presence(shim::ckeParseType(self.raw, 0))?;
                    self.type_count += 1;
                }
            }
        }
        let range = Range { first, count: self.type_count - first };
        self.set_types(values, range);
        Ok(range.count > 0)
    }

    fn functional_type(&mut self, ins: Values, outs: Values) -> Parsed {
        let (mut inputs, mut results) = (0, 0);
        // SAFETY: the parser is valid, and so are the places for the two counts.
        presence(unsafe { shim::ckeParseFunctionType(self.raw, &mut inputs, &mut results) })?;
        for (values, count) in [(ins, inputs as u32), (outs, results as u32)] {
            self.set_types(values, Range { first: self.type_count, count });
            self.type_count += count;
        }
        Ok(true)
    }

    fn set_types(&mut self, values: Values, range: Range) {
        match values {
            Values::Operands(group) => self.operand_types[group] = Some(range),
            Values::Results(group) => self.result_types[group] = Some(range),
            Values::AllOperands => self.all_operand_types = range,
            Values::AllResults => self.all_result_types = range,
        }
    }

    /// Gives each group its types, in the order of the table.
    fn finish(&mut self) -> Result<(), Reported> {
        match self.listed {
            Some(all) => self.resolve(all, self.all_operand_types)?,
            None => self.resolve_groups()?,
        }
        if let Some(slot) = self.info.sizes_slot() {
            let sizes = self.operands.map(|range| range.count as i32);
            // SAFETY: the parser is valid, its context too, the slot exists, and there are as many sizes as groups.
            unsafe {
                let context = shim::ckeParserContext(self.raw);
                let count = self.info.def.operands.len() as isize;
                shim::ckeSetSlot(self.raw, slot as isize, ffi::mlirDenseI32ArrayGet(context, count, sizes.as_ptr()));
            }
        }
        if self.format.result_types.first() == Some(&TypeSource::All) {
            self.add_results(self.all_result_types);
        } else {
            for group in 0..self.info.def.results.len() {
                let types = self.types_of(self.format.result_types[group], self.result_types[group], 1);
                self.add_results(types);
            }
        }
        Ok(())
    }

    fn resolve_groups(&mut self) -> Result<(), Reported> {
        let all = self.all_operand_types;
        let mut next = all.first;
        for group in 0..self.info.def.operands.len() {
            let operands = self.operands[group];
            let source = self.format.operand_types[group];
            let types = if source != TypeSource::All {
                self.types_of(source, self.operand_types[group], operands.count)
            } else if all.count == self.operand_count {
                next += operands.count;
                Range { first: next - operands.count, count: operands.count }
            } else {
                // Does not fit, which is for MLIR to say.
                return self.resolve(Range { first: 0, count: self.operand_count }, all);
            };
            self.resolve(operands, types)?;
        }
        if self.format.operand_types.is_empty() && all.count > 0 {
            return self.resolve(Range::default(), all);
        }
        Ok(())
    }

    /// The types of a group of `count` values.
    fn types_of(&mut self, source: TypeSource, written: Option<Range>, count: u32) -> Range {
        // SAFETY: the parser is valid; types are asked for below their number.
        let ty = unsafe {
            match source {
                TypeSource::Written | TypeSource::All => return written.unwrap_or_default(),
                TypeSource::SameAsOperand(group) => self.first_type(self.operand_types[group]),
                TypeSource::SameAsResult(group) => self.first_type(self.result_types[group]),
                TypeSource::Builtin(scalar) => builtin(scalar, shim::ckeParserContext(self.raw)),
            }
        };
        let Some(ty) = ty else { return Range::default() };
        let first = self.type_count;
        for _ in 0..count {
            // SAFETY: the parser and the type are valid.
            unsafe { shim::ckePushType(self.raw, ty) }
        }
        self.type_count += count;
        Range { first, count }
    }

    /// # Safety
    /// The range must be of types that were parsed.
    unsafe fn first_type(&self, range: Option<Range>) -> Option<MlirType> {
        let range = range.filter(|range| range.count > 0)?;
        // SAFETY: the parser is valid; the caller answers for the range.
        Some(unsafe { shim::ckeGetParsedType(self.raw, range.first as isize) })
    }

    fn resolve(&mut self, operands: Range, types: Range) -> Result<(), Reported> {
        let [first, count, first_type, type_count] =
            [operands.first, operands.count, types.first, types.count].map(|n| n as isize);
        // SAFETY: the parser is valid; both ranges are of what was parsed.
        presence(unsafe { shim::ckeResolveOperands(self.raw, first, count, first_type, type_count) }).map(|_| ())
    }

    fn add_results(&mut self, types: Range) {
        // SAFETY: the parser is valid; the range is of types that were parsed.
        unsafe { shim::ckeAddResults(self.raw, types.first as isize, types.count as isize) }
    }
}

fn presence(result: i8) -> Parsed {
    match result {
        1 => Ok(true),
        0 => Ok(false),
        _ => Err(Reported),
    }
}

/// # Safety
/// The context must be valid.
unsafe fn builtin(scalar: Scalar, context: ffi::MlirContext) -> Option<MlirType> {
    // SAFETY: the caller's.
    Some(unsafe {
        match scalar {
            Scalar::F32 => ffi::mlirF32TypeGet(context),
            Scalar::F64 => ffi::mlirF64TypeGet(context),
            Scalar::F16 => ffi::mlirF16TypeGet(context),
            Scalar::BF16 => ffi::mlirBF16TypeGet(context),
            Scalar::I1 => ffi::mlirIntegerTypeGet(context, 1),
            Scalar::I8 => ffi::mlirIntegerTypeGet(context, 8),
            Scalar::I32 => ffi::mlirIntegerTypeGet(context, 32),
            Scalar::I64 => ffi::mlirIntegerTypeGet(context, 64),
            Scalar::Index => ffi::mlirIndexTypeGet(context),
            Scalar::Any => return None,
        }
    })
}
