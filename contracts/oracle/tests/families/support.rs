//! A call with its own small state block, built tensor by tensor.

use std::collections::BTreeMap;

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::Pairing;
use cke_contracts::registry::{AttentionReduction, Contract, ExecutionSemantics, NumericalExecution, Registry};
use cke_oracle::{Call, Context, Element, Port, execute};

/// What memory holds where no tensor was put: a NaN that no result may show.
pub const GARBAGE: u32 = 0x7fab_cdef;
/// The NaN of computed results.
pub const NAN: u32 = 0x7fc0_0000;

/// The native contract that governs `op`.
pub fn native(op: &str) -> Contract {
    let registry = Registry::native().expect("the embedded registry is valid");
    if op == "attention" {
        return registry.contracts["fp32_exact_max_kv_chunks_1024"].clone(); // one of several
    }
    let governs = |contract: &&Contract| contract.operations().is_some_and(|ops| ops.iter().any(|o| o == op));
    registry.contracts.values().find(governs).unwrap_or_else(|| panic!("no contract governs {op}")).clone()
}

/// The native rope contract with that pairing.
pub fn native_rope(pairing: Pairing) -> Contract {
    let registry = Registry::native().expect("the embedded registry is valid");
    let is_it = |contract: &&Contract| {
        let Contract::Execution(c) = contract else { return false };
        c.position_transform.as_ref().is_some_and(|transform| transform.pairing == pairing)
    };
    registry.contracts.values().find(is_it).expect("both pairings are native").clone()
}

/// The fields of an execution contract, to change one.
pub fn execution(contract: &mut Contract) -> &mut NumericalExecution {
    match contract {
        Contract::Execution(execution) => execution,
        _ => panic!("not an execution contract"),
    }
}

/// The explicit semantics of an execution contract, to change a field.
pub fn semantics(contract: &mut Contract) -> &mut ExecutionSemantics {
    execution(contract).semantics.as_mut().expect("native contracts are explicit")
}

/// The fields of an attention contract, to change one.
pub fn attention(contract: &mut Contract) -> &mut AttentionReduction {
    match contract {
        Contract::Attention(attention) => attention,
        _ => panic!("not an attention contract"),
    }
}

/// A tensor of a run.
#[derive(Clone)]
struct Place {
    name: String,
    offset: usize,
    layout: Layout,
    dims: Vec<usize>,
}

/// A call and the state block it works on.
#[derive(Clone)]
pub struct Run {
    pub contract: Contract,
    pub op: String,
    pub shape: BTreeMap<String, i64>,
    pub params: BTreeMap<String, f64>,
    pub rows: usize,
    pub position: usize,
    pub state: Vec<u8>,
    places: Vec<Place>,
}

impl Run {
    pub fn new(op: &str, contract: Contract) -> Self {
        Self {
            contract,
            op: op.to_owned(),
            shape: BTreeMap::new(),
            params: BTreeMap::new(),
            rows: 1,
            position: 0,
            state: GARBAGE.to_ne_bytes().repeat(16),
            places: vec![],
        }
    }

    pub fn shape(mut self, extents: &[(&str, i64)]) -> Self {
        self.shape.extend(extents.iter().map(|(name, extent)| ((*name).to_owned(), *extent)));
        self
    }

    pub fn param(mut self, name: &str, value: f64) -> Self {
        self.params.insert(name.to_owned(), value);
        self
    }

    pub fn at(mut self, rows: usize, position: usize) -> Self {
        (self.rows, self.position) = (rows, position);
        self
    }

    /// Adds a tensor with these values, row-major by logical index; padding is garbage.
    pub fn tensor(self, name: &str, layout: Layout, dims: &[usize], values: &[f32]) -> Self {
        let bits: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.bits(name, layout, dims, &bits)
    }

    /// As [`Self::tensor`], with the bits of the values.
    pub fn bits(mut self, name: &str, layout: Layout, dims: &[usize], bits: &[u32]) -> Self {
        let offset = self.state.len();
        let elements = layout.elements(dims).expect("a small tensor");
        // Garbage behind every tensor, and the next one at a multiple of 64.
        self.state.extend(GARBAGE.to_ne_bytes().repeat((elements + 1).next_multiple_of(16)));
        self.places.push(Place { name: name.to_owned(), offset, layout, dims: dims.to_vec() });
        let indices = indices(dims);
        assert_eq!(indices.len(), bits.len(), "tensor {name} has other dimensions");
        for (index, bits) in indices.iter().zip(bits) {
            let at = offset + 4 * layout.offset(dims, index).expect("inside");
            self.state[at..at + 4].copy_from_slice(&bits.to_ne_bytes());
        }
        self
    }

    /// Adds an output full of garbage.
    pub fn output(self, name: &str, layout: Layout, dims: &[usize]) -> Self {
        let elements = dims.iter().product();
        self.bits(name, layout, dims, &vec![GARBAGE; elements])
    }

    /// Adds the port `name` at the memory of the tensor `of`.
    pub fn alias(mut self, name: &str, of: &str) -> Self {
        let place = self.place(of).clone();
        self.places.push(Place { name: name.to_owned(), ..place });
        self
    }

    /// Gives a port another name.
    pub fn rename(mut self, from: &str, to: &str) -> Self {
        let place = self.places.iter_mut().find(|place| place.name == from).expect("a tensor of that name");
        place.name = to.to_owned();
        self
    }

    pub fn execute(&mut self) -> Result<(), String> {
        let ports: Vec<Port<'_>> = self
            .places
            .iter()
            .map(|p| Port { name: &p.name, offset: p.offset, layout: p.layout, element: Element::Bits32 })
            .collect();
        let call = Call {
            contract: &self.contract,
            op: &self.op,
            shape: &self.shape,
            params: &self.params,
            ports: &ports,
            rows: self.rows,
            position: self.position,
            context: Context::default(),
        };
        execute(&call, &mut self.state)
    }

    /// The bits of a tensor, row-major by logical index.
    pub fn read(&self, name: &str) -> Vec<u32> {
        let place = self.place(name);
        let at = |index: &Vec<usize>| {
            let at = place.offset + 4 * place.layout.offset(&place.dims, index).expect("inside");
            u32::from_ne_bytes(self.state[at..at + 4].try_into().expect("four bytes"))
        };
        indices(&place.dims).iter().map(at).collect()
    }

    /// Executes and gives the bits of `output`; nothing outside its elements may have changed.
    pub fn result(mut self, output: &str) -> Vec<u32> {
        let before = self.clone();
        self.execute().expect("a valid call");
        let bits = self.read(output);
        let place = self.place(output).clone();
        for index in indices(&place.dims) {
            let at = place.offset + 4 * place.layout.offset(&place.dims, &index).expect("inside");
            let old = before.state[at..at + 4].to_vec();
            self.state[at..at + 4].copy_from_slice(&old);
        }
        assert!(self.state == before.state, "memory outside the output changed");
        bits
    }

    /// As [`Self::result`], as numbers.
    pub fn values(self, output: &str) -> Vec<f32> {
        self.result(output).into_iter().map(f32::from_bits).collect()
    }

    /// The error of a call that must leave the state alone.
    pub fn error(mut self) -> String {
        let before = self.state.clone();
        let error = self.execute().expect_err("the call must be refused");
        assert!(self.state == before, "a refused call changed the state");
        error
    }

    /// The same run under a contract with one field changed.
    pub fn with(&self, change: impl FnOnce(&mut Contract)) -> Self {
        let mut run = self.clone();
        change(&mut run.contract);
        assert!(run.contract != self.contract, "the change changes nothing");
        run
    }

    fn place(&self, name: &str) -> &Place {
        self.places.iter().find(|place| place.name == name).unwrap_or_else(|| panic!("no tensor {name}"))
    }
}

/// All indices of a tensor, the last running fastest.
fn indices(dims: &[usize]) -> Vec<Vec<usize>> {
    dims.iter().fold(vec![vec![]], |indices, &dim| {
        indices.iter().flat_map(|index| (0..dim).map(|i| [index.as_slice(), &[i]].concat())).collect()
    })
}

/// Numbers in -1..1 with full mantissas: a fixed sequence, the same on every host.
pub fn noise(seed: u64, n: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// The bits of numbers.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}
