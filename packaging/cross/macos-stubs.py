"""Writes what the linker has to know of macOS's own libraries: macos-stubs.py DIR.

Go's standard library calls Security, CoreFoundation and libresolv by name. Their names and symbols are in its own sources
(//go:cgo_import_dynamic), so that no SDK of Apple is needed: a text stub says where a symbol will be found at run time.
"""

import collections
import pathlib
import re
import subprocess
import sys

out = pathlib.Path(sys.argv[1])
root = pathlib.Path(subprocess.check_output(["go", "env", "GOROOT"], text=True).strip())
wanted = re.compile(r'//go:cgo_import_dynamic \S+ (\S+) "(/System/Library/Frameworks/[^"]+|/usr/lib/libresolv[^"]+)"')
libraries = collections.defaultdict(set)
for file in sorted(f for f in (root / "src").rglob("*.go") if f.is_file()):
    for symbol, library in wanted.findall(file.read_text(errors="replace")):
        libraries[library].add("_" + symbol)
if len(libraries) < 3:
    sys.exit(f"macos-stubs.py: found only {sorted(libraries)} in {root} (has Go changed how it names them?)")
for library, symbols in libraries.items():
    name = pathlib.Path(library).name
    file = out / f"{name}.framework" / f"{name}.tbd" if "/Frameworks/" in library else out / "libresolv.tbd"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "--- !tapi-tbd\n"
        "tbd-version: 4\n"
        "targets: [ x86_64-macos, arm64-macos ]\n"
        f"install-name: '{library}'\n"
        "current-version: 1\n"
        "compatibility-version: 1\n"
        "exports:\n"
        "  - targets: [ x86_64-macos, arm64-macos ]\n"
        f"    symbols: [ {', '.join(sorted(symbols))} ]\n"
        "...\n"
    )
