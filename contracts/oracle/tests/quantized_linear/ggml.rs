//! The oracle and ggml's own x86 kernels give the same bits. The library is that of `make peers`, or `$CKE_GGML_CPU`;
//! without it the test says that it skips.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{MATMUL, MATVEC, Product, Q4, Q6, contract, product};

fn library() -> Option<PathBuf> {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/venv-llama/lib");
    let installed = || {
        let pythons = std::fs::read_dir(&build).ok()?;
        let candidates =
            pythons.flatten().map(|python| python.path().join("site-packages/llama_cpp/lib/libggml-cpu.so"));
        candidates.into_iter().find(|path| path.exists())
    };
    let found = std::env::var_os("CKE_GGML_CPU").map(PathBuf::from).or_else(installed);
    if found.is_none() {
        eprintln!("skipped: no libggml-cpu.so in {} and no CKE_GGML_CPU", build.display());
    }
    found
}

/// The bits ggml gives for a product.
fn by_ggml(library: &Path, kind: &str, product: &Product) -> Vec<u32> {
    let folder = std::env::temp_dir().join(format!("cke-ggml-{}-{kind}-{}", std::process::id(), product.rows()));
    std::fs::create_dir_all(&folder).unwrap();
    let [w, x, y] = ["w", "x", "y"].map(|name| folder.join(name));
    std::fs::write(&w, &product.w).unwrap();
    std::fs::write(&x, product.x.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/peers/ggml_linear.py");
    let numbers = [product.n, product.k, product.rows()].map(|number| number.to_string());
    let status = Command::new("python3").arg(script).arg(library).arg(kind).args(numbers).args([&w, &x, &y]).status();
    assert!(status.expect("python3 runs").success(), "{kind}");
    let bytes = std::fs::read(&y).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// With rows of both signs of the greatest magnitude, of ties between codes, of subnormals and of zeros.
fn hard(id: &str, rows: usize, k: usize) -> Product {
    let mut product = product(id, rows, 64, k, 21);
    for (n, row) in product.x.chunks_exact_mut(k).enumerate() {
        for (i, x) in row.iter_mut().enumerate() {
            match n % 6 {
                1 => *x = [-127.0, 127.0, 0.5, 1.5, 2.5, -0.5, -3.5, 100.25][i % 8],
                2 if i < 256 => *x = if i % 2 == 0 { 0.0 } else { -0.0 },
                3 => *x *= 1e-20,
                4 if i < 256 => *x = f32::from_bits(1 + i as u32),
                _ => {}
            }
        }
    }
    product
}

#[test]
fn the_oracle_has_the_bits_of_ggml() {
    let Some(library) = library() else { return };
    for (id, kind, rows) in [(Q4, "q4_dot", 12), (Q6, "q6_dot", 12), (MATVEC, "q4_gemv", 12), (MATMUL, "q4_gemm", 12)] {
        for k in [256, 1024, 2560] {
            let product = hard(id, rows, k);
            let (ours, theirs) = (product.run(&contract(id)).unwrap(), by_ggml(&library, kind, &product));
            let differ: Vec<_> = (0..ours.len()).filter(|i| ours[*i] != theirs[*i]).map(|i| (i / 64, i % 64)).collect();
            assert!(differ.is_empty(), "{kind} k={k}: {} of {} differ: {differ:?}", differ.len(), ours.len());
        }
    }
}
