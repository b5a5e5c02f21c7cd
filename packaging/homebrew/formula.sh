#!/usr/bin/env bash
# The Homebrew formula of a release, out of its checksums: formula.sh DIST > gatebot.rb. The formula beside this script builds from
# source instead.
set -euo pipefail
dist=${1:?folder with the artefacts}
version=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["version"])' "$dist/metadata.json")
block() { # OS ARCH
  local file=gatebot_${version}_$1_$2.tar.gz sum
  sum=$(awk -v f="$file" '$2 == f { print $1 }' "$dist/checksums.txt")
  [ -n "$sum" ] || { echo "formula.sh: checksums.txt has no $file" >&2; exit 1; }
  printf '      url "https://github.com/gatebot/gatebot/releases/download/v%s/%s"\n      sha256 "%s"\n' "$version" "$file" "$sum"
}
darwin_arm=$(block darwin arm64) darwin_intel=$(block darwin amd64) linux_arm=$(block linux arm64) linux_intel=$(block linux amd64)
cat <<RUBY
class Gatebot < Formula
  desc "Gate for CUDA graph capture safety"
  homepage "https://github.com/gatebot/gatebot"
  version "$version"
  license "Apache-2.0"

  on_macos do
    on_arm do
$darwin_arm
    end
    on_intel do
$darwin_intel
    end
  end

  on_linux do
    on_arm do
$linux_arm
    end
    on_intel do
$linux_intel
    end
  end

  def install
    # The probe and gatebot-gpu, which only Linux has, lie beside the program.
    libexec.install Dir["gatebot*"]
    bin.install_symlink Dir[libexec/"gatebot", libexec/"gatebot-gpu"]
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/gatebot.bash" => "gatebot"
    zsh_completion.install "completions/gatebot.zsh" => "_gatebot"
    fish_completion.install "completions/gatebot.fish"
  end

  test do
    (testpath/"m.py").write "import torch\n\n\ndef decode_step(x: torch.Tensor):\n    return x.item()\n"
    assert_match "GB101", shell_output("#{bin}/gatebot scan 2>&1", 1)
  end
end
RUBY
