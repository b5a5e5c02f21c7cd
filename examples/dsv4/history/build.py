#!/usr/bin/env python3
"""Makes the history of this example: python3 build.py DIR.

The clean tree first; then, for each of the nine rows of the fix log, a commit that brings its violation in and one that
takes it out again. Dates and authors are fixed, so that every commit has the same id on every machine.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = ("dsv4", "gate_phase1.py", "gate_phase2.py", "gate_split.py", "generate.py", ".gatebot.yaml")

# The patch that brings the violation in, and the subjects of the two commits.
ROWS = (
    ("01-mhc-item", "Log the largest residual, write the 4-bit layers the simple way",
     "mhc.py .item() removal, linear/shared_expert pre-alloc, quantize gsa fix"),
    ("02-init-state-clone", "Fresh streams and X for each step", "mHCLayer.init_state out_buf, dec_X_buf pre-allocation"),
    ("03-token-transfer", "Write tokens and expert offsets element by element",
     "Pinned CPU buffers for token transfer, grouped_linear expert_offsets GPU-only"),
    ("04-scale-view", "Swizzle the whole scale buffer", "assemble_scales correctly-sized view for swizzle"),
    ("05-conditional-read", "Rebase the group offsets when they do not start at zero",
     "Remove conditional host read of GPU tensor in grouped_linear"),
    ("06-bincount", "Count tokens with bincount", "MoE bincount -> scatter_add_, MoE torch.full -> fill_()"),
    ("07-scale-buffer", "Zero the scales of the grouped layer", "grouped_linear scale_a_buf pre-alloc, quantize zeros_like -> scalar 0.0"),
    ("08-scatter-index", "Narrow expert ids, count what the second GEMM sees",
     "MoE scatter_add_ int64 indices, fix second bincount call"),
    ("09-stride-0", "Expand the global scale instead of copying it",
     "gsa broadcast: reshape for M=1 decode (no stride-0), contiguous for M>1 prefill"),
)


def git(repo, *args, date=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    env.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    for who in ("AUTHOR", "COMMITTER"):
        env.update({f"GIT_{who}_NAME": "DSV4 example", f"GIT_{who}_EMAIL": "dsv4@example.invalid"})
        if date:
            env[f"GIT_{who}_DATE"] = date
    done = subprocess.run(["git", "-c", "core.autocrlf=false", "-C", repo, *args], env=env, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"build.py: git {' '.join(args[:2])}: {done.stderr.strip()} (is {repo} an empty folder?)")
    return done.stdout.strip()


def build(repo):
    if os.path.isdir(repo) and os.listdir(repo):
        sys.exit(f"build.py: {repo} is not empty (name a new folder)")
    os.makedirs(repo, exist_ok=True)
    git(repo, "init", "-q", "-b", "main")
    example = os.path.dirname(HERE)
    for name in TREE:
        src, to = os.path.join(example, name), os.path.join(repo, name)
        if os.path.isdir(src):
            shutil.copytree(src, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(src, to)
    minute = 0

    def commit(subject, body=""):
        nonlocal minute
        minute += 1
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", subject, *(["-m", body] if body else []),
            date=f"2026-06-03T{9 + minute // 60:02}:{minute % 60:02}:00+00:00")
        return git(repo, "rev-parse", "HEAD")

    print(commit("A decode step that is fit for CUDA graphs"), "clean")
    for patch, bad, good in ROWS:
        file = os.path.join(HERE, patch + ".patch")
        git(repo, "apply", file)
        print(commit(bad), patch)
        git(repo, "apply", "-R", file)
        print(commit(good), "fixes", patch)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: build.py DIR")
    build(os.path.abspath(sys.argv[1]))
