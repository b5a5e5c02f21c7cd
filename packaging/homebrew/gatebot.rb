# Builds from source: gatebot needs cgo. `brew install --HEAD ./packaging/homebrew/gatebot.rb`
class Gatebot < Formula
  desc "Gate for CUDA graph capture safety"
  homepage "https://github.com/gatebot/gatebot"
  license "Apache-2.0"
  head "https://github.com/gatebot/gatebot.git", branch: "main"

  depends_on "go" => :build

  def install
    system "go", "build", *std_go_args(ldflags: "-s -w -X main.version=#{version}"), "./cmd/gatebot"
    generate_completions_from_executable(bin/"gatebot", "completion")
    system bin/"gatebot", "man", man1
  end

  test do
    (testpath/"m.py").write "import torch\n\n\ndef decode_step(x: torch.Tensor):\n    return x.item()\n"
    assert_match "GB101", shell_output("#{bin}/gatebot scan 2>&1", 1)
  end
end
