#!/usr/bin/env python3
"""Makes the history of this example: python3 build.py DIR.

The clean tree first; then, for each of the nine rows of the fix log, a commit that brings its violation in and one that
takes it out again. Dates and authors are fixed, so that every commit has the same id on every machine.
"""
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = ("dsv4", "gate_phase1.py", "gate_phase2.py", "gate_split.py", "generate.py", ".gatebot.yaml")


def rows():
    """(patch file, subject of the commit that brings the violation in, subject of the one that takes it out): each patch
    begins with them, and with the lines where a scan has to find the violation."""
    for file in sorted(glob.glob(os.path.join(HERE, "0*.patch"))):
        with open(file, encoding="utf-8") as f:
            head = dict(line.rstrip("\n").split(": ", 1) for line in f if line.startswith(("Bad: ", "Fix: ")))
        yield file, head["Bad"], head["Fix"]


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
    for file, bad, good in rows():
        patch = os.path.basename(file)[:-len(".patch")]
        git(repo, "apply", file)
        print(commit(bad), patch)
        git(repo, "apply", "-R", file)
        print(commit(good), "fixes", patch)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: build.py DIR")
    build(os.path.abspath(sys.argv[1]))
