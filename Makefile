# The two commands of the README are `make demo` and `make lint test`.
SHELL := /bin/bash
GO ?= go
GOLANGCI_VERSION := v2.15.0
ACTIONLINT_VERSION := v1.7.7
CACHE := $(CURDIR)/.cache
LINT := $(CACHE)/bin/golangci-lint-$(GOLANGCI_VERSION)
ACTIONLINT := $(CACHE)/bin/actionlint-$(ACTIONLINT_VERSION)
VENV := $(CACHE)/venv
PIP := $(VENV)/bin/pip -q --disable-pip-version-check --retries 10 --timeout 60
AGAIN := $(CURDIR)/tools/again.sh
PYTEST_VERSION := 8.4.2
GORELEASER_VERSION := v2.14.0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)

.PHONY: build-gpu chaos build test test-cuda test-cupti test-torch test-python browser-test lint bench demo fuzz generate new-rule release-dry release-same deb-test sandbox-test clean

build: ## bin/gatebot, and the probe that the CUDA driver loads
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/gatebot ./cmd/gatebot
	gpu/probe/build.sh bin/gatebot-probe.so

test: ## everything that needs no GPU, with the race detector; the Go/CUDA part runs against the pretend driver
	tools/bwrap.sh
	$(GO) vet ./...
	$(GO) test -race -timeout 12m ./...
	gpu/device/test.sh
	$(MAKE) test-python

test-python: $(VENV)/ready ## the Python package and its pytest plugin, as pip installs them
	$(AGAIN) $(PIP) install --no-deps --force-reinstall ./python
	$(VENV)/bin/pytest -q -p no:cacheprovider python/tests

$(VENV)/ready:
	python3 -m venv $(VENV)
	$(AGAIN) $(PIP) install pytest==$(PYTEST_VERSION)
	@touch $@

test-torch: ## the harness in a real torch, on the CPU: GATEBOT_TORCH=INTERPRETER make test-torch
	@"$${GATEBOT_TORCH:?names no interpreter that has torch}" -c 'import torch; print("torch", torch.__version__)'
	$(GO) test -count=1 -run OnTorch ./gpu/harness

test-cupti: ## what the probe takes for granted of CUPTI, against the headers and libraries of CUDA 11.8, 12 and 13 (fetches 60 MB once)
	python3 gpu/probe/abi/check.py

browser-test: ## the pages in headless Chromium ($CHROMIUM, else /usr/bin/chromium): axe-core, keyboard, widths
	@test -x "$${CHROMIUM:-/usr/bin/chromium}" || { echo "browser-test: no Chromium (set CHROMIUM=PATH)" >&2; exit 3; }
	mkdir -p $(CACHE)/browser $(CACHE)/pages
	cp test/browser/* $(CACHE)/browser/
	npm install --silent --no-audit --no-fund --prefix $(CACHE)/browser
	GATEBOT_REPORT_DIR=$(CACHE)/pages $(GO) test -count=1 ./internal/report
	$(GO) test -c -o $(CACHE)/board.test ./webhook/board
	node $(CACHE)/browser/pages.mjs --shots $(CACHE)/shots $(CACHE)/pages/*.html
	node $(CACHE)/browser/board.mjs $(CACHE)/board.test $(CACHE)/shots

build-gpu: build ## bin/gatebot-gpu too (fetches CUDA headers once; needs no GPU and no toolkit)
	gpu/device/build.sh

test-cuda: ## the Go/CUDA part against the pretend driver (fetches CUDA headers once)
	gpu/device/test.sh

lint: $(LINT) $(ACTIONLINT)
	$(LINT) run ./...
	$(ACTIONLINT)
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }

$(ACTIONLINT):
	@mkdir -p $(CACHE)/bin
	GOFLAGS= GOBIN=$(CACHE)/bin $(AGAIN) $(GO) install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)
	@mv $(CACHE)/bin/actionlint $(ACTIONLINT)

$(LINT):
	@mkdir -p $(CACHE)/bin
	GOFLAGS= GOBIN=$(CACHE)/bin $(AGAIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(CACHE)/bin/golangci-lint $(LINT)

bench: build ## ratios side by side in one run; results belong in docs/measurements.md
	$(GO) test -run '^$$' -bench . -benchtime 1x ./internal/pyast ./internal/queue ./checks
	$(GO) test -run '^$$' -bench Intake -benchtime 5s ./webhook
	GATEBOT=$(CURDIR)/bin/gatebot tools/bench-scan.sh
	GATEBOT=$(CURDIR)/bin/gatebot tools/bench-push.sh
	$(GO) test -run "^$$" -bench Commits -benchtime 1x -timeout 60m ./internal/gate

demo: build ## one pull request through the whole machine, without an account or a GPU
	bin/gatebot demo

chaos: ## 200 rounds of SIGKILL of server, runner and both; 1,000 updates during an outage of GitHub: about 20 minutes
	GATEBOT_CHAOS=200 $(GO) test -run 'TestChaos$$' -v -timeout 60m ./test/e2e
	GATEBOT_BURST=1000 $(GO) test -run 'TestOutage$$' -v -timeout 60m ./webhook

fuzz: ## every fuzz target for FUZZTIME (default 20s)
	tools/fuzz.sh $(or $(FUZZTIME),20s)

new-rule: ## the skeleton of a rule: make new-rule ID=GB117 NAME=what-it-is
	$(GO) run ./checks/newrule $(ID) $(NAME)
	$(GO) generate ./checks/gen

generate: ## registry, rule tests and docs/rules.md from the rules
	$(GO) generate ./checks/...

GORELEASER := $(CACHE)/bin/goreleaser-$(GORELEASER_VERSION)
CYCLONEDX := $(CACHE)/bin/cyclonedx-gomod

release-dry: $(GORELEASER) $(CYCLONEDX) ## every artefact of a release into dist/, for all platforms, and nothing published
	PWD=$(CURDIR) PATH=$(CACHE)/bin:$$PATH $(GORELEASER) release --snapshot --clean --skip=publish
	packaging/formats.sh dist
	packaging/homebrew/formula.sh dist > dist/gatebot.rb

release-same: release-dry ## builds the commit again, in another folder and with an empty build cache: the same bytes
	packaging/same.sh

deb-test: ## the Debian packages in a clean chroot (root, debootstrap; the one for arm64 under qemu-user-static)
	packaging/debian/chroot-test.sh dist/gatebot_*_linux_amd64.deb
	packaging/debian/chroot-test.sh dist/gatebot_*_linux_arm64.deb

sandbox-test: ## the attacks of strangers' code against rootless podman (root, podman, debootstrap)
	gpu/sandbox/podman-test.sh

$(GORELEASER):
	@mkdir -p $(CACHE)/bin
	GOFLAGS= GOBIN=$(CACHE)/bin $(GO) install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)
	@mv $(CACHE)/bin/goreleaser $(GORELEASER)

$(CYCLONEDX):
	GOFLAGS= GOBIN=$(CACHE)/bin $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0

clean:
	rm -rf bin dist dist-extra .cache
