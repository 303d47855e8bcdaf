// What a test needs around the browser: the pinned kernel, a folder of notebooks, Jupyter Notebook.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

// The folder of this file, and the root of the clone.
export const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
export const root = path.join(here, "..", "..");

// pictures is where screenshots go: E2E_PICTURES, else a new temporary folder, which is kept.
export async function pictures() {
  if (!process.env.E2E_PICTURES) process.env.E2E_PICTURES = await mkdtemp(path.join(tmpdir(), "dpnb-e2e-"));
  await mkdir(process.env.E2E_PICTURES, { recursive: true });
  return process.env.E2E_PICTURES;
}

// installKernel builds nb, and has nb install the kernel into a Jupyter data folder of the test's own.
// It returns the path of nb and the environment for Jupyter.
export async function installKernel(dir) {
  const bin = path.join(dir, "bin");
  await mkdir(bin);
  const env = {
    ...process.env,
    GOBIN: bin, // where goimports goes
    PATH: bin + path.delimiter + process.env.PATH,
    JUPYTER_DATA_DIR: path.join(dir, "jupyter"),
    JUPYTER_CONFIG_DIR: path.join(dir, "config"),
    JUPYTER_RUNTIME_DIR: path.join(dir, "runtime"),
    IPYTHONDIR: path.join(dir, "ipython"),
    XDG_STATE_HOME: path.join(dir, "state"), // what a ledger leaves outside its folder
  };
  const nb = path.join(bin, "nb");
  await run("go", ["build", "-o", nb, "./notebooks/cmd/nb"], { cwd: root, env });
  await run(nb, ["lab", "-no-open", path.join(root, "notebooks", "quickstart.ipynb")], { cwd: root, env });
  return { nb, env };
}

// notebookFolder makes a folder with copies of the notebooks. It lies in the clone, because the first
// cell looks there for the module; Go passes over its name.
export async function notebookFolder(...files) {
  const dir = await mkdtemp(path.join(here, "_run-"));
  for (const f of files) await cp(f, path.join(dir, path.basename(f)));
  return dir;
}

const freePort = () => new Promise((resolve, reject) => {
  const s = createServer().once("error", reject);
  s.listen(0, "127.0.0.1", () => {
    const { port } = s.address();
    s.close(() => resolve(port));
  });
});

// startJupyter serves the folder and resolves when the server answers. url(file) opens a notebook,
// stop() ends the server and its kernels.
export async function startJupyter(folder, env, logFile) {
  const port = await freePort();
  const token = randomBytes(24).toString("hex");
  const log = openSync(logFile, "w");
  const args = ["--no-browser", "--allow-root", "--ip=127.0.0.1", `--port=${port}`, "--port-retries=0",
    `--NotebookApp.token=${token}`, `--notebook-dir=${folder}`];
  const child = spawn("jupyter-notebook", args, { cwd: folder, env, stdio: ["ignore", log, log] });
  closeSync(log);
  let failed = "";
  child.once("error", (err) => { failed = err.message; });
  child.once("exit", (code, signal) => { failed ||= `it ended with ${code ?? signal}`; });
  const base = `http://127.0.0.1:${port}`;
  const url = (file) => `${base}/notebooks/${encodeURIComponent(file)}?token=${token}`;
  const stop = async () => {
    if (failed) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM"); // ends the kernels too
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(timer);
  };
  for (let i = 0; i < 300 && !failed; i++) {
    const ok = await fetch(`${base}/api/status?token=${token}`).then((r) => r.ok, () => false);
    if (ok) return { url, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const why = failed || "no answer in 30 s";
  await stop();
  throw new Error(`jupyter-notebook: ${why}\n${readFileSync(logFile, "utf8")}`);
}

export const remove = (dir) => rm(dir, { recursive: true, force: true });
