//! Contracts, seeded weights and a call with its own state block.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cke_contracts::layout::Layout;
use cke_contracts::registry::{Contract, QuantizedLinear, Registry};
use cke_oracle::{Call, Context, Element, Port, execute};

pub const Q4: &str = "q4_k_x_q8_k_fp32_block_order";
pub const MATMUL: &str = "q4_k_x_q8_k_repacked_matmul_fp32";
pub const MATVEC: &str = "q4_k_x_q8_k_repacked_matvec_fp32";
pub const Q6: &str = "q6_k_x_q8_k_fp32_block_order";
pub const ALL: [&str; 4] = [Q4, MATMUL, MATVEC, Q6];

pub const BLOCK: usize = 256;
pub const Q4_BYTES: usize = 144;
pub const Q6_BYTES: usize = 210;

pub static NATIVE: LazyLock<Registry> = LazyLock::new(|| Registry::native().expect("the native data is valid"));

pub fn contract(id: &str) -> QuantizedLinear {
    match &NATIVE.contracts[id] {
        Contract::Linear(contract) => contract.clone(),
        _ => panic!("{id} is no quantized linear contract"),
    }
}

/// A product: rows of x, packed weights, and a bias.
#[derive(Clone)]
pub struct Product {
    pub k: usize,
    pub n: usize,
    pub x: Vec<f32>,
    pub w: Vec<u8>,
    pub bias: Option<Vec<f32>>,
}

impl Product {
    pub fn rows(&self) -> usize {
        self.x.len() / self.k
    }

    /// The product of some of the rows.
    pub fn of_rows(&self, rows: std::ops::Range<usize>) -> Self {
        Self { x: self.x[rows.start * self.k..rows.end * self.k].to_vec(), ..self.clone() }
    }

    /// The bits of the output; rows that were not computed keep a mark.
    pub fn run(&self, contract: &QuantizedLinear) -> Result<Vec<u32>, String> {
        let mut state = Vec::new();
        let mut place = |bytes: Vec<u8>| {
            let offset = state.len();
            state.extend(bytes);
            state.resize(state.len().next_multiple_of(4) + 4, 0xab);
            offset
        };
        let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<_>>();
        let x = place(floats(&self.x));
        let w = place(self.w.clone());
        let y = place(vec![0xab; self.rows() * self.n * 4]);
        let bias = self.bias.as_ref().map(|bias| place(floats(bias)));
        let port = |name, offset| Port { name, offset, layout: Layout::RowMajor, element: Element::Bits32 };
        let mut ports = vec![port("x", x), port("w", w), port("y", y)];
        ports.extend(bias.map(|offset| port("bias", offset)));
        let call = Call {
            contract: &Contract::Linear(contract.clone()),
            op: "linear",
            shape: &[("k".to_owned(), self.k as i64), ("n".to_owned(), self.n as i64)].into(),
            params: &BTreeMap::new(),
            ports: &ports,
            rows: self.rows(),
            position: 0,
            context: Context { parts: Some(&NATIVE.contracts), ..Context::default() },
        };
        execute(&call, &mut state)?;
        let output = state[y..y + self.rows() * self.n * 4].chunks_exact(4);
        Ok(output.map(|bytes| u32::from_ne_bytes(bytes.try_into().unwrap())).collect())
    }

    pub fn values(&self, contract: &QuantizedLinear) -> Vec<f32> {
        self.run(contract).expect("a valid call").into_iter().map(f32::from_bits).collect()
    }
}

/// Numbers of 32 bits: a fixed sequence, the same on every host.
pub fn random(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
}

pub fn noise(seed: u64, n: usize) -> Vec<f32> {
    let mut next = random(seed);
    (0..n).map(|_| (next() >> 8) as f32 / 8_388_608.0 - 1.0).collect()
}

/// An f16 of either sign between 2^-8 and 2^-6.
fn half(bits: u32) -> [u8; 2] {
    ((bits & 0x87ff | 0x1c00) as u16).to_le_bytes()
}

/// Random blocks as files hold them.
pub fn q4_blocks(seed: u64, count: usize) -> Vec<u8> {
    let mut next = random(seed);
    let mut blocks = Vec::new();
    for _ in 0..count {
        blocks.extend(half(next()));
        blocks.extend(half(next() & 0x7fff));
        blocks.extend((0..Q4_BYTES - 4).map(|_| next() as u8));
    }
    blocks
}

pub fn q6_blocks(seed: u64, count: usize) -> Vec<u8> {
    let mut next = random(seed);
    let mut blocks = Vec::new();
    for _ in 0..count {
        blocks.extend((0..Q6_BYTES - 2).map(|_| next() as u8));
        blocks.extend(half(next()));
    }
    blocks
}

/// Q4_K rows packed eight to a block, written from what the packed form is for: eight bytes of every row in turn, and
/// the pairs of a sub-block side by side.
pub fn repack(blocks: &[u8], blocks_per_row: usize) -> Vec<u8> {
    let rows: Vec<_> = blocks.chunks_exact(blocks_per_row * Q4_BYTES).collect();
    let mut packed = Vec::new();
    for eight in rows.chunks_exact(8) {
        for b in 0..blocks_per_row {
            let of = |row: usize| &eight[row][b * Q4_BYTES..(b + 1) * Q4_BYTES];
            (0..8).for_each(|row| packed.extend(&of(row)[0..2]));
            (0..8).for_each(|row| packed.extend(&of(row)[2..4]));
            for j in 0..8 {
                let pairs: Vec<_> = (0..8).map(|row| pair(&of(row)[4..16], j)).collect();
                packed.extend((0..4).map(|i| pairs[i].0 | pairs[i + 4].0 >> 4 << 6));
                packed.extend((0..4).map(|i| pairs[i].1 | pairs[i + 4].1 >> 4 << 6));
                packed.extend((0..4).map(|i| pairs[i + 4].0 & 15 | (pairs[i + 4].1 & 15) << 4));
            }
            for part in 0..16 {
                (0..8).for_each(|row| packed.extend(&of(row)[16 + 8 * part..24 + 8 * part]));
            }
        }
    }
    packed
}

/// Scale and minimum j of a Q4_K block.
pub fn pair(bytes: &[u8], j: usize) -> (u8, u8) {
    match j {
        0..4 => (bytes[j] & 63, bytes[j + 4] & 63),
        _ => (bytes[j + 4] & 15 | bytes[j - 4] >> 6 << 4, bytes[j + 4] >> 4 | bytes[j] >> 6 << 4),
    }
}

/// A seeded product in the packing of a contract.
pub fn product(id: &str, rows: usize, n: usize, k: usize, seed: u64) -> Product {
    let w = match id {
        Q6 => q6_blocks(seed, n * k / BLOCK),
        Q4 => q4_blocks(seed, n * k / BLOCK),
        _ => repack(&q4_blocks(seed, n * k / BLOCK), k / BLOCK),
    };
    Product { k, n, x: noise(seed + 1, rows * k), w, bias: None }
}
