# The two commands to begin with are `make demo` and `make test`. Both fetch libtorch where it is missing.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
PROGRAMS := giuthi giuthi-selfplay giuthi-train giuthi-eval
# Where `make install` puts the programs: PREFIX/bin, or cargo's own folder.
BINDIR := $(if $(PREFIX),$(PREFIX)/bin,$(or $(CARGO_HOME),$(HOME)/.cargo)/bin)

.PHONY: help demo test test-portable cluster-test interop readers lint build install libtorch no-torch clean-demo

help:
	@echo 'make demo      self-play, training and a tournament on 2x6x4, into data/demo (under a minute after the build)'
	@echo 'make test      every test'
	@echo 'make cluster-test  a dataset in eight shards by GNU parallel (or xargs), one of them killed'
	@echo 'make interop   exported networks, read by tract, ONNX Runtime, NumPy and (TORCH=PYTHON or TORCH=pip) PyTorch'
	@echo 'make readers   a dataset, read by pandas, Polars and DuckDB'
	@echo 'make lint      formatting, clippy and documentation, warnings denied'
	@echo 'make build     the four programs, optimised, into $(TARGET)/release'
	@echo 'make install   the four programs into $(BINDIR) (PREFIX=DIR: into DIR/bin)'
	@echo 'make libtorch  fetch libtorch and nothing else'

demo: build
	@scripts/demo.sh '$(TARGET)/release'

test: libtorch test-portable
	$(CARGO) test --locked --workspace

# Rules and network once more as on a processor without the vector instructions: whatever asks for them has to fall back.
test-portable:
	$(CARGO) test --locked -p giuthi-engine --features portable --test golden --test twins --test perft --test quantised

# Not part of `make test`: it needs a shell. With what `make test` has built it takes ten seconds.
cluster-test:
	$(CARGO) build --locked -p giuthi-selfplay
	@scripts/parallel.sh '$(TARGET)/debug'

# Not part of `make test`: tract takes minutes to build, and Python's packages come from the network.
interop: build
	@TORCH='$(TORCH)' CARGO='$(CARGO)' scripts/interop.sh '$(TARGET)/release' '$(TARGET)/interop'

# What other programs make of a dataset. Needs Python and, the first time, its package index.
readers:
	$(CARGO) build --locked --release -p giuthi-selfplay
	@scripts/readers.sh '$(TARGET)/release' '$(TARGET)/readers'

lint: libtorch no-torch
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) check --locked --quiet -p giuthi-engine --no-default-features
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --workspace --no-deps

build: libtorch
	$(CARGO) build --locked --release --workspace

install: build
	mkdir -p '$(DESTDIR)$(BINDIR)'
	for program in $(PROGRAMS); do install -m 755 "$(TARGET)/release/$$program" '$(DESTDIR)$(BINDIR)/'; done

libtorch:
	@scripts/libtorch.sh

# Everything but `train` builds and runs without libtorch.
no-torch:
	@for package in giuthi-engine giuthi-selfplay giuthi-eval; do \
		if $(CARGO) tree --locked -p $$package -e normal,build,dev --prefix none | grep -q '^torch-sys '; then \
			echo "$$package depends on torch-sys: only giuthi-train may" >&2; exit 1; \
		fi; \
	done

clean-demo:
	rm -rf data/demo
