//! One function to one program: walks each provider's call ABI and takes what each entry names.

use super::globals::{Globals, io_name, memref};
use crate::body;
use crate::decisions::{decision, governed, kind};
use crate::facts::{self, Facts};
use crate::registry_ir::ModuleRegistry;
use crate::report;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::registry::vocabulary::Phase;
use cke_contracts::registry::{Dim, PortKind, Provider};
use cke_dialects::contract::attributes;
use cke_dialects::graph;
use cke_mlir::ir::{Attr, Block, InsertionPoint, Op, Rewriter, Type, Value};
use cke_mlir::pass::PassFailure;
use std::collections::BTreeMap;

/// What kernel maps call the extent that a call gives.
const ROWS: &str = "rows";

/// What scratch is sized for.
pub struct Limits {
    /// The most threads of one call.
    pub max_threads: i64,
}

/// A lowered program.
pub struct Lowered<'p> {
    /// The `lowered.program`.
    pub op: Op<'p>,
    /// The capacities that its operations name.
    pub capacities: Vec<i64>,
}

/// Lowers `function` to a `lowered.program` after it.
pub fn lower<'p>(
    function: Op<'p>,
    registry: &ModuleRegistry<'p>,
    globals: &mut Globals<'p>,
    limits: &Limits,
    rewriter: &Rewriter<'p>,
) -> Result<Lowered<'p>, PassFailure> {
    let op = rewriter
        .build("lowered.program", function.location())
        .attr("sym_name", Attr::string(rewriter.context(), function.symbol_name().unwrap_or_default()))
        .attr("phase", function.attr(graph::PHASE).expect("functions of phases are lowered"))
        .region()
        .at(InsertionPoint::After(function));
    let body = rewriter.new_block(op.regions()[0], &[]);
    let rows = (op.attr("phase").and_then(Attr::as_str) == Some(Phase::Decode.as_str())).then_some(1);
    let (buffers, capacities) = (Vec::new(), Vec::new());
    let mut lowering =
        Lowering { registry, globals, limits, rewriter, body, rows, position: None, buffers, capacities };
    let source = body::block(function).ok_or_else(|| function.fail("has no body [CKE-L002]"))?;
    lowering.bind_io(function, source)?;
    for op in source.ops() {
        if governed(op) {
            lowering.operation(op)?;
        } else if op.name() != "func.return" {
            return Err(op.fail(format!("'{}' stands under no contract and cannot be lowered [CKE-L002]", op.name())));
        }
    }
    Ok(Lowered { op, capacities: lowering.capacities })
}

struct Lowering<'l, 'p> {
    registry: &'l ModuleRegistry<'p>,
    globals: &'l mut Globals<'p>,
    limits: &'l Limits,
    rewriter: &'l Rewriter<'p>,
    body: Block<'p>,
    /// The rows of a call as far as they are known: one in decode, any number in prefill.
    rows: Option<i64>,
    /// The argument that is the position of the call.
    position: Option<Value<'p>>,
    /// The buffer of each tensor value so far; a program has few enough values alive for a list.
    buffers: Vec<(Value<'p>, Place<'p>)>,
    capacities: Vec<i64>,
}

/// Where a tensor value lives.
#[derive(Clone, Copy)]
enum Place<'p> {
    /// In a buffer of the call.
    Buffer(Value<'p>),
    /// In the io buffer of that name.
    Io(&'p str),
}

impl<'p> Lowering<'_, 'p> {
    /// Arguments and returned values live in io buffers.
    fn bind_io(&mut self, function: Op<'p>, source: Block<'p>) -> Result<(), PassFailure> {
        let names = |list: &str| function.attr(list).and_then(Attr::as_array).unwrap_or_default();
        for (argument, name) in source.args().into_iter().zip(names("arg_attrs").into_iter().map(io_name)) {
            match name {
                Some(graph::POSITION) if argument.ty().is_index() => self.position = Some(argument),
                Some(name) if argument.ty().is_tensor() => self.buffers.push((argument, Place::Io(name))),
                _ => {}
            }
        }
        let names = names("res_attrs");
        for (index, value) in source.terminator().map(Op::operands).unwrap_or_default().into_iter().enumerate() {
            let Some(name) = names.get(index).and_then(|attributes| io_name(*attributes)) else {
                return Err(function.fail(format!("returns result #{index} without a name for its buffer [CKE-L004]")));
            };
            if self.buffers.iter().any(|(known, _)| *known == value) {
                return Err(function.fail(format!("returns one value as '{name}' and as another [CKE-L004]")));
            }
            self.buffers.push((value, Place::Io(name)));
        }
        Ok(())
    }

    fn operation(&mut self, op: Op<'p>) -> Result<(), PassFailure> {
        let decided = decision(op).map_err(|fault| report::fault(op, &fault, Some(self.registry), &[]))?;
        let Some(provider) = self.registry.registry.providers.get(&decided.provider) else {
            let fault = Fault::new(Code::Unresolved, format!("provider '{}' is not in the registry", decided.provider));
            return Err(report::fault(op, &fault, None, &[]));
        };
        // At run time there is one position, that of the call.
        if op.operands().into_iter().any(|value| value.ty().is_index() && Some(value) != self.position) {
            return Err(op.fail("takes a position that is not the one of the call [CKE-L004]"));
        }
        let shape = self.shape(op, provider)?;
        self.capacities.extend(shape.get("capacity"));
        let mut buffers = Vec::new();
        for parameter in &provider.call_abi.params {
            if let Some((_, name)) = parameter.source.split_once(':').filter(|(space, _)| *space != "runtime") {
                buffers.push(self.port(op, provider, name, &shape)?);
            }
        }
        let context = self.rewriter.context();
        let sources: Vec<_> = provider.call_abi.params.iter().map(|p| Attr::string(context, &p.source)).collect();
        let shape: Vec<_> = shape.iter().map(|(name, value)| (name.as_str(), Attr::i64(context, *value))).collect();
        let mut builder = self
            .rewriter
            .build("lowered.invoke", op.location())
            .attr("op", Attr::string(context, kind(op)))
            .attr("sources", Attr::array(context, &sources))
            .attr("shape", Attr::dict(context, &shape))
            .operands(buffers);
        if !provider.params.is_empty() {
            let params = self.params(op, provider)?;
            builder = builder.attr("params", Attr::dict(context, &params));
        }
        for name in attributes::ALL {
            builder = builder.maybe_attr(name, op.attr(name));
        }
        builder.at(InsertionPoint::EndOf(self.body));
        Ok(())
    }

    /// The floats the kernel is made for, as doubles: JSON and the IR write them alike.
    fn params(&self, op: Op<'p>, provider: &'_ Provider) -> Result<Vec<(&'p str, Attr<'p>)>, PassFailure> {
        let attrs = op.attrs();
        let find = |name: &str| attrs.iter().find(|(known, _)| *known == name).copied();
        let values = provider.params.iter().map(|param| {
            let (name, value) = find(&param.name)?;
            Some((name, Attr::f64(self.rewriter.context(), value.as_f64()?)))
        });
        values
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| op.fail("has no value for a parameter of its provider [CKE-L002]"))
    }

    fn shape(&self, op: Op<'p>, provider: &Provider) -> Result<Facts, PassFailure> {
        let mut shapes = BTreeMap::new();
        for (port_kind, port) in provider.ports() {
            let ty = match port_kind {
                PortKind::Input => graph::operand(op, &port.name).map(Value::ty),
                PortKind::Output => graph::result(op, &port.name).map(Value::ty),
                PortKind::Weight | PortKind::State => {
                    op.attr(&port.name).and_then(|symbol| op.lookup_symbol_ref(symbol)).and_then(graph::symbol_type)
                }
                PortKind::Scratch => None,
            };
            if let Some(shape) = ty.and_then(Type::shape) {
                let rows = shape.first().copied().flatten();
                if port.shape.first() == Some(&Dim::Name(ROWS.to_owned())) && rows != self.rows {
                    let show = |rows: Option<i64>| rows.map_or("any number of".to_owned(), |rows| rows.to_string());
                    let (found, expected) = (show(rows), show(self.rows));
                    let message = format!("has {found} rows at port '{}', its phase has {expected}", port.name);
                    return Err(op.fail(format!("{message} [CKE-L002]")));
                }
                shapes.insert(port.name.as_str(), shape);
            }
        }
        let integers = op.attrs().into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.as_i64()?)));
        facts::shape(provider, &shapes, &integers.collect())
            .map_err(|rule| op.fail(format!("does not suit provider '{}': {rule} [CKE-L002]", provider.id)))
    }

    /// The buffer for one pointer of the call ABI.
    fn port(&mut self, op: Op<'p>, provider: &Provider, name: &str, shape: &Facts) -> Result<Value<'p>, PassFailure> {
        let missing = || op.fail(format!("has nothing for port '{name}' of provider '{}' [CKE-L002]", provider.id));
        let (port_kind, port) = provider.port(name).ok_or_else(missing)?;
        match port_kind {
            PortKind::Input => {
                let value = graph::operand(op, name).ok_or_else(missing)?;
                match self.buffers.iter().find(|(known, _)| *known == value).map(|(_, place)| *place) {
                    Some(Place::Buffer(buffer)) => Ok(buffer),
                    Some(Place::Io(io)) => self.get(op, io, port_kind, port),
                    None => Err(missing()),
                }
            }
            PortKind::Output => {
                let value = graph::result(op, name).ok_or_else(missing)?;
                match self.buffers.iter().find(|(known, _)| *known == value).map(|(_, place)| *place) {
                    Some(Place::Io(io)) => self.get(op, io, port_kind, port),
                    Some(Place::Buffer(buffer)) => Ok(buffer),
                    None => {
                        let buffer = self.buffer(op, attributes::instance(op).unwrap_or_default(), memref(value.ty()));
                        self.buffers.push((value, Place::Buffer(buffer)));
                        Ok(buffer)
                    }
                }
            }
            PortKind::Weight | PortKind::State => {
                let symbol = op.attr(name).and_then(attributes::leaf).ok_or_else(missing)?;
                self.get(op, symbol, port_kind, port)
            }
            PortKind::Scratch => {
                let mut facts = shape.clone();
                facts.insert("max_threads".to_owned(), self.limits.max_threads);
                let size = port.size_bytes.as_deref().unwrap_or_default();
                let bytes = facts::evaluate(size, &facts)
                    .map_err(|rule| op.fail(format!("has no size for scratch '{name}': {rule} [CKE-L002]")))?;
                let words = bytes.checked_add(3).map(|bytes| bytes.div_euclid(4)).filter(|words| *words > 0);
                let words = words.ok_or_else(|| {
                    op.fail(format!("needs {bytes} bytes of scratch '{name}', expected a positive number [CKE-L002]"))
                })?;
                let words = Type::memref(&[Some(words)], Type::f32(self.rewriter.context()));
                let label = format!("{}.{name}", attributes::instance(op).unwrap_or_default());
                Ok(self.buffer(op, &label, words))
            }
        }
    }

    fn get(
        &mut self,
        op: Op<'p>,
        name: &str,
        port_kind: PortKind,
        port: &cke_contracts::registry::Port,
    ) -> Result<Value<'p>, PassFailure> {
        let ty = self.globals.need(op, name, port_kind, port)?;
        let context = self.rewriter.context();
        let builder = self.rewriter.build("lowered.get", op.location());
        let get = builder.attr("global", Attr::symbol_ref(context, &[name])).result(ty);
        Ok(get.at(InsertionPoint::EndOf(self.body)).result(0))
    }

    fn buffer(&self, op: Op<'p>, label: &str, ty: Type<'p>) -> Value<'p> {
        let builder = self.rewriter.build("lowered.buffer", op.location());
        let buffer = builder.attr("label", Attr::string(self.rewriter.context(), label)).result(ty);
        buffer.at(InsertionPoint::EndOf(self.body)).result(0)
    }
}
