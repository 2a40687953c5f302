# What one does with this repository. It needs Rust, make and a C compiler; demo and the acceptance tests also need
# terraform. Written for any make of the last twenty years, macOS's too.

.POSIX:

CARGO     = cargo
TERRAFORM = terraform
PROGRAM   = terraform-provider-eksaddon

# Where cargo builds, whatever decided that.
TARGET = $$($(CARGO) metadata --format-version 1 --no-deps | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')

# Where Terraform looks for providers that were installed by hand.
PLUGINS = $$HOME/.terraform.d/plugins

.PHONY: help demo test lint check bench bench-plan deny catalog install-local

help:
	@echo 'make demo           build the provider and show the plan of examples/scenarios/quickstart'
	@echo 'make test           all tests; those that run terraform need it on PATH'
	@echo 'make lint           formatting and lints'
	@echo 'make check          lint and test'
	@echo 'make bench          figures of what happens within the process'
	@echo 'make bench-plan     figures of whole plans (needs terraform and python3)'
	@echo 'make deny           licences and sources of dependencies (needs cargo-deny)'
	@echo 'make catalog        refresh the catalog: VERSIONS=file SURFACE=file DATE=yyyy-mm-dd SOURCE=text REGION=name'
	@echo 'make install-local  build a release and install it for terraform init'

# Terraform takes the provider from the directory that the CLI configuration names, without terraform init.
demo:
	@command -v $(TERRAFORM) >/dev/null 2>&1 || { \
	  echo 'make demo shows a plan, so it needs terraform (1.8 or later) on PATH.'; \
	  echo 'OpenTofu (1.7 or later) does as well: make demo TERRAFORM=tofu'; \
	  exit 1; \
	} >&2
	$(CARGO) build --locked --bin $(PROGRAM)
	@target="$(TARGET)" && mkdir -p "$$target/demo" && \
	printf 'provider_installation {\n  dev_overrides {\n    "eksaddon/eksaddon" = "%s"\n  }\n  direct {}\n}\n' \
	  "$$target/debug" > "$$target/demo/cli.tfrc" && \
	cd examples/scenarios/quickstart && \
	TF_CLI_CONFIG_FILE="$$target/demo/cli.tfrc" TF_DATA_DIR="$$target/demo/data" $(TERRAFORM) plan

test:
	$(CARGO) test --locked

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- --deny warnings

check: lint test

bench:
	$(CARGO) bench --locked --bench in_process

bench-plan:
	scripts/bench-plan

deny:
	$(CARGO) deny --locked check bans licenses sources

catalog:
	@[ -n "$(VERSIONS)" ] && [ -n "$(SURFACE)" ] && [ -n "$(DATE)" ] && [ -n "$(SOURCE)" ] && [ -n "$(REGION)" ] || { \
	  echo "usage: make catalog VERSIONS=file SURFACE=file DATE=yyyy-mm-dd SOURCE='whose facts' REGION=name"; \
	  exit 2; \
	} >&2
	$(CARGO) run --locked --bin catalog-refresh -- --versions '$(VERSIONS)' --surface '$(SURFACE)' \
	  --date '$(DATE)' --source '$(SOURCE)' --region '$(REGION)' --out catalog

install-local:
	$(CARGO) build --locked --release --bin $(PROGRAM)
	@version=$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml) && \
	os=$$(uname -s | tr '[:upper:]' '[:lower:]') && \
	arch=$$(uname -m | sed -e 's/x86_64/amd64/' -e 's/aarch64/arm64/') && \
	directory="$(PLUGINS)/registry.terraform.io/eksaddon/eksaddon/$$version/$${os}_$$arch" && \
	mkdir -p "$$directory" && \
	cp "$(TARGET)/release/$(PROGRAM)" "$$directory/$(PROGRAM)_v$$version" && \
	echo "installed $$directory/$(PROGRAM)_v$$version"
