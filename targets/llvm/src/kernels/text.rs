//! A builder of MLIR text: typed SSA values, structured loops, constants gathered at the top of the function.
//!
//! The builder knows the syntax of the few operations kernels are made of and nothing about numerics: it never emits a
//! fast-math flag, never fuses and never reorders. Floating-point constants are printed as bit patterns.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};

/// The element types of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// A truth value.
    I1,
    /// A token, an index lane or the bits of an f32.
    I32,
    /// An extent, an index or a position.
    I64,
    /// The one floating-point type.
    F32,
    /// An address.
    Ptr,
}

/// A scalar or a vector of `lanes` elements; `lanes` is 0 for a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Type {
    /// The element type.
    pub scalar: Scalar,
    /// The number of elements of a vector, 0 for a scalar.
    pub lanes: u32,
}

/// `f32`.
pub const F32: Type = Type { scalar: Scalar::F32, lanes: 0 };
/// `i32`.
pub const I32: Type = Type { scalar: Scalar::I32, lanes: 0 };
/// `i64`.
pub const I64: Type = Type { scalar: Scalar::I64, lanes: 0 };
/// `!llvm.ptr`.
pub const PTR: Type = Type { scalar: Scalar::Ptr, lanes: 0 };

/// `vector<lanes x f32>`.
#[must_use]
pub const fn vector(lanes: u32) -> Type {
    Type { scalar: Scalar::F32, lanes }
}

impl Type {
    /// The same shape with another element type.
    #[must_use]
    pub const fn with(self, scalar: Scalar) -> Self {
        Self { scalar, lanes: self.lanes }
    }
}

impl Display for Scalar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::I1 => "i1",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::Ptr => "!llvm.ptr",
        })
    }
}

impl Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            0 => write!(out, "{}", self.scalar),
            lanes => write!(out, "vector<{lanes}x{}>", self.scalar),
        }
    }
}

/// An SSA value: `%id`, or `%id#part` where an operation has several results.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    id: u32,
    part: Option<u32>,
    /// The value's type.
    pub ty: Type,
}

impl Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            None => write!(out, "%{}", self.id),
            Some(part) => write!(out, "%{}#{part}", self.id),
        }
    }
}

/// A list of displayable things with commas.
fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// The body of one kernel under construction.
pub struct Text {
    body: String,
    head: String,
    constants: BTreeMap<(Type, u64), Value>,
    depth: usize,
    next: u32,
    args: Value,
    thread: Value,
    threads: Value,
}

impl Text {
    /// An empty kernel with the parameters `(args, thread, threads)`.
    #[must_use]
    pub fn new() -> Self {
        let parameter = |id, ty| Value { id, part: None, ty };
        Self {
            body: String::new(),
            head: String::new(),
            constants: BTreeMap::new(),
            depth: 1,
            next: 3,
            args: parameter(0, PTR),
            thread: parameter(1, I64),
            threads: parameter(2, I64),
        }
    }

    /// The text of the whole function.
    #[must_use]
    pub fn finish(self, symbol: &str) -> String {
        let Self { head, body, args, thread, threads, .. } = self;
        format!(
            "func.func @\"{symbol}\"({args}: {PTR}, {thread}: {I64}, {threads}: {I64}) {{\n{head}{body}  return\n}}\n"
        )
    }

    fn fresh(&mut self, ty: Type) -> Value {
        self.next += 1;
        Value { id: self.next - 1, part: None, ty }
    }

    fn line(&mut self, text: impl Display) {
        let indent = 2 * self.depth;
        writeln!(self.body, "{:indent$}{text}", "").expect("writing to a string cannot fail");
    }

    fn op(&mut self, ty: Type, text: impl Display) -> Value {
        let value = self.fresh(ty);
        self.line(format_args!("{value} = {text}"));
        value
    }

    // Parameters.

    /// The index of the executing thread.
    #[must_use]
    pub const fn thread(&self) -> Value {
        self.thread
    }

    /// The number of threads.
    #[must_use]
    pub const fn threads(&self) -> Value {
        self.threads
    }

    /// The 64-bit slot `index` of the argument block, as a pointer or an i64.
    pub fn slot(&mut self, index: usize, ty: Type) -> Value {
        let offset = i64::try_from(index).expect("a call ABI has a handful of slots");
        let address = self.offset_by(self.args, offset, I64);
        self.op(ty, format_args!("llvm.load {address} {{alignment = 8 : i64}} : {PTR} -> {ty}"))
    }

    // Constants, each printed once at the top of the function.

    fn constant(&mut self, ty: Type, key: u64, literal: &str) -> Value {
        if let Some(&known) = self.constants.get(&(ty, key)) {
            return known;
        }
        let value = self.fresh(ty);
        let literal = if ty.lanes == 0 { literal.to_owned() } else { format!("dense<{literal}>") };
        writeln!(self.head, "  {value} = arith.constant {literal} : {ty}").expect("writing to a string cannot fail");
        self.constants.insert((ty, key), value);
        value
    }

    /// An i64.
    pub fn i64(&mut self, value: i64) -> Value {
        self.constant(I64, value.cast_unsigned(), &value.to_string())
    }

    /// An i32 scalar or splat.
    pub fn i32(&mut self, ty: Type, value: i32) -> Value {
        self.constant(ty, u64::from(value.cast_unsigned()), &value.to_string())
    }

    /// An f32 scalar or splat, by its bits.
    pub fn f32(&mut self, ty: Type, value: f32) -> Value {
        self.constant(ty, u64::from(value.to_bits()), &format!("{:#010X}", value.to_bits()).replace("0X", "0x"))
    }

    /// The i32 vector 0, 1, 2, ...
    pub fn lane_indices(&mut self, lanes: u32) -> Value {
        let ty = Type { scalar: Scalar::I32, lanes };
        // No splat uses a key beyond 32 bits.
        self.constant(ty, u64::MAX, &format!("[{}]", list(0..lanes)))
    }

    // Arithmetic. One operation each, rounded as IEEE 754 says.

    fn unary(&mut self, name: &str, a: Value) -> Value {
        self.op(a.ty, format_args!("{name} {a} : {}", a.ty))
    }

    fn binary(&mut self, name: &str, a: Value, b: Value) -> Value {
        debug_assert_eq!(a.ty, b.ty, "{name}");
        self.op(a.ty, format_args!("{name} {a}, {b} : {}", a.ty))
    }

    /// `a + b`.
    pub fn addf(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.addf", a, b)
    }

    /// `a - b`.
    pub fn subf(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.subf", a, b)
    }

    /// `a * b`.
    pub fn mulf(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.mulf", a, b)
    }

    /// `a / b`.
    pub fn divf(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.divf", a, b)
    }

    /// `-a`.
    pub fn negf(&mut self, a: Value) -> Value {
        self.unary("arith.negf", a)
    }

    /// The correctly rounded square root.
    pub fn sqrt(&mut self, a: Value) -> Value {
        self.unary("math.sqrt", a)
    }

    /// `a * b + c` rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        debug_assert!(a.ty == b.ty && b.ty == c.ty, "math.fma");
        self.op(a.ty, format_args!("math.fma {a}, {b}, {c} : {}", a.ty))
    }

    /// Integer `a + b`.
    pub fn addi(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.addi", a, b)
    }

    /// Integer `a - b`.
    pub fn subi(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.subi", a, b)
    }

    /// Integer `a * b`.
    pub fn muli(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.muli", a, b)
    }

    /// `a / b` of unsigned integers.
    pub fn divui(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.divui", a, b)
    }

    /// `a % b` of unsigned integers.
    pub fn remui(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.remui", a, b)
    }

    /// The smaller of two signed integers.
    pub fn minsi(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.minsi", a, b)
    }

    /// The greater of two signed integers.
    pub fn maxsi(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.maxsi", a, b)
    }

    /// `a << b`.
    pub fn shli(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.shli", a, b)
    }

    /// Bitwise and.
    pub fn andi(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.andi", a, b)
    }

    /// Bitwise or.
    pub fn ori(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.ori", a, b)
    }

    /// A floating-point comparison, e.g. `ogt` (ordered greater) or `uno` (either is NaN).
    pub fn cmpf(&mut self, predicate: &str, a: Value, b: Value) -> Value {
        self.op(a.ty.with(Scalar::I1), format_args!("arith.cmpf {predicate}, {a}, {b} : {}", a.ty))
    }

    /// An integer comparison, e.g. `slt` or `eq`.
    pub fn cmpi(&mut self, predicate: &str, a: Value, b: Value) -> Value {
        self.op(a.ty.with(Scalar::I1), format_args!("arith.cmpi {predicate}, {a}, {b} : {}", a.ty))
    }

    /// `condition ? a : b`, lane by lane.
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        if a.ty.lanes == 0 {
            self.op(a.ty, format_args!("arith.select {condition}, {a}, {b} : {}", a.ty))
        } else {
            self.op(a.ty, format_args!("arith.select {condition}, {a}, {b} : {}, {}", condition.ty, a.ty))
        }
    }

    /// The bits of a value as another element type of the same width.
    pub fn bitcast(&mut self, a: Value, scalar: Scalar) -> Value {
        let ty = a.ty.with(scalar);
        self.op(ty, format_args!("arith.bitcast {a} : {} to {ty}", a.ty))
    }

    /// The low 32 bits of an i64.
    pub fn trunci(&mut self, a: Value) -> Value {
        self.op(I32, format_args!("arith.trunci {a} : {} to {I32}", a.ty))
    }

    /// An i32 as i64; the value is known not to be negative.
    pub fn extui(&mut self, a: Value) -> Value {
        self.op(I64, format_args!("arith.extui {a} : {} to {I64}", a.ty))
    }

    // Vectors.

    /// A vector of `ty`'s shape with every lane equal to the scalar; the scalar itself where `ty` is scalar.
    pub fn broadcast(&mut self, a: Value, ty: Type) -> Value {
        if ty.lanes == 0 {
            return a;
        }
        let ty = a.ty.with(a.ty.scalar).widened(ty.lanes);
        self.op(ty, format_args!("vector.broadcast {a} : {} to {ty}", a.ty))
    }

    /// One lane.
    pub fn extract(&mut self, a: Value, lane: u32) -> Value {
        let ty = Type { lanes: 0, ..a.ty };
        self.op(ty, format_args!("vector.extract {a}[{lane}] : {ty} from {}", a.ty))
    }

    /// The lanes `indices` of `a` followed by `b`.
    pub fn shuffle(&mut self, a: Value, b: Value, indices: impl IntoIterator<Item = u32>) -> Value {
        let indices: Vec<u32> = indices.into_iter().collect();
        let lanes = u32::try_from(indices.len()).expect("a vector has few lanes");
        let ty = a.ty.widened(lanes);
        self.op(ty, format_args!("vector.shuffle {a}, {b} [{}] : {}, {}", list(&indices), a.ty, b.ty))
    }

    // Memory. Alignment is that of one element.

    /// The address of element `index` (an i64) of an array of `ty`'s elements.
    pub fn at(&mut self, base: Value, index: Value, ty: Type) -> Value {
        self.op(PTR, format_args!("llvm.getelementptr {base}[{index}] : ({PTR}, {I64}) -> {PTR}, {}", ty.scalar))
    }

    /// The address of the element at a constant index.
    pub fn offset_by(&mut self, base: Value, index: i64, ty: Type) -> Value {
        if index == 0 {
            return base;
        }
        self.op(PTR, format_args!("llvm.getelementptr {base}[{index}] : ({PTR}) -> {PTR}, {}", ty.scalar))
    }

    /// Memory for `count` of `ty`'s elements which lives as long as the call; not initialised.
    pub fn stack(&mut self, count: i64, ty: Type) -> Value {
        let (count, value) = (self.i64(count), self.fresh(PTR));
        let text = format!("llvm.alloca {count} x {} {{alignment = 64 : i64}} : ({I64}) -> {PTR}", ty.scalar);
        writeln!(self.head, "  {value} = {text}").expect("writing to a string cannot fail");
        value
    }

    /// Loads a 32-bit scalar or a vector of them.
    pub fn load(&mut self, address: Value, ty: Type) -> Value {
        self.op(ty, format_args!("llvm.load {address} {{alignment = 4 : i64}} : {PTR} -> {ty}"))
    }

    /// Stores a 32-bit scalar or a vector of them.
    pub fn store(&mut self, value: Value, address: Value) {
        self.line(format_args!("llvm.store {value}, {address} {{alignment = 4 : i64}} : {}, {PTR}", value.ty));
    }

    fn prefix_mask(&mut self, lanes: u32, valid: u32) -> Value {
        let ty = Type { scalar: Scalar::I1, lanes };
        let literal = format!("[{}]", list((0..lanes).map(|lane| lane < valid)));
        self.constant(ty, u64::from(valid), &literal)
    }

    /// Loads the first `valid` lanes; the others are +0 and not read.
    pub fn load_prefix(&mut self, address: Value, ty: Type, valid: u32) -> Value {
        if valid == ty.lanes {
            return self.load(address, ty);
        }
        let mask = self.prefix_mask(ty.lanes, valid);
        let zero = if ty.scalar == Scalar::F32 { self.f32(ty, 0.0) } else { self.i32(ty, 0) };
        self.op(
            ty,
            format_args!(
                "llvm.intr.masked.load {address}, {mask}, {zero} {{alignment = 4 : i32}} : ({PTR}, {}, {ty}) -> {ty}",
                mask.ty
            ),
        )
    }

    /// Stores the first `valid` lanes; memory behind the others is not touched.
    pub fn store_prefix(&mut self, value: Value, address: Value, valid: u32) {
        if valid == value.ty.lanes {
            return self.store(value, address);
        }
        let mask = self.prefix_mask(value.ty.lanes, valid);
        self.line(format_args!(
            "llvm.intr.masked.store {value}, {address}, {mask} {{alignment = 4 : i32}} : {}, {} into {PTR}",
            value.ty, mask.ty
        ));
    }

    // Control flow.

    /// `for iv = from; iv < to; iv += step`, with values carried from one round to the next.
    pub fn for_loop<F>(&mut self, from: Value, to: Value, step: i64, carried: &[Value], body: F) -> Vec<Value>
    where
        F: FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    {
        let step = self.i64(step);
        let index = self.fresh(I64);
        let inner: Vec<Value> = carried.iter().map(|value| self.fresh(value.ty)).collect();
        let result = self.fresh(I64);
        let bounds = format!("scf.for {index} = {from} to {to} step {step}");
        if carried.is_empty() {
            self.line(format_args!("{bounds} : {I64} {{"));
        } else {
            let init = list(inner.iter().zip(carried).map(|(inner, outer)| format!("{inner} = {outer}")));
            let types = list(carried.iter().map(|value| value.ty));
            let count = carried.len();
            self.line(format_args!("{result}:{count} = {bounds} iter_args({init}) -> ({types}) : {I64} {{"));
        }
        self.depth += 1;
        let next = body(self, index, &inner);
        self.yield_values(carried, &next);
        results(result, carried)
    }

    /// Executes `body` where the condition holds.
    pub fn if_then(&mut self, condition: Value, body: impl FnOnce(&mut Self)) {
        self.line(format_args!("scf.if {condition} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// Executes one of two bodies.
    pub fn if_else(&mut self, condition: Value, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        self.line(format_args!("scf.if {condition} {{"));
        self.depth += 1;
        then(self);
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        otherwise(self);
        self.depth -= 1;
        self.line("}");
    }

    fn yield_values(&mut self, expected: &[Value], next: &[Value]) {
        debug_assert_eq!(expected.len(), next.len(), "a loop body yields what the loop carries");
        if !next.is_empty() {
            let types = list(next.iter().map(|value| value.ty));
            self.line(format_args!("scf.yield {} : {types}", list(next)));
        }
        self.depth -= 1;
        self.line("}");
    }
}

fn results(of: Value, carried: &[Value]) -> Vec<Value> {
    carried.iter().zip(0..).map(|(value, part)| Value { id: of.id, part: Some(part), ty: value.ty }).collect()
}

impl Type {
    const fn widened(self, lanes: u32) -> Self {
        Self { scalar: self.scalar, lanes }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}
