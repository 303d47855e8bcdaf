// The quickstart in Jupyter Notebook, driven in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startChromium } from "./browser.mjs";
import { NotebookPage } from "./notebook.mjs";
import { installKernel, notebookFolder, pictures, remove, root, startJupyter } from "./server.mjs";

const quickstart = path.join(root, "notebooks", "quickstart.ipynb");
const origins = [["synthetic rows", undefined]];
if (process.env.DPNB_DATA) origins.push(["real rows", process.env.DPNB_DATA]);

let dir, nb, env, shots, chromium;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "dpnb-e2e-"));
  shots = await pictures();
  ({ nb, env } = await installKernel(dir));
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  if (dir) await remove(dir);
});

for (const [name, data] of origins) {
  test(`the quickstart on ${name}`, { timeout: 600_000 }, async (t) => {
    const folder = await notebookFolder(quickstart);
    const own = { ...env, DPNB_DATA: data };
    if (!data) delete own.DPNB_DATA;
    const jupyter = await startJupyter(folder, own, path.join(shots, `jupyter-${data ? "real" : "synthetic"}.log`));
    const page = await chromium.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(60_000);
    const book = new NotebookPage(page);
    const shot = (what, width = 1400) => book.picture(path.join(shots, `${data ? "real" : "synthetic"}-${what}-${width}.png`), width);
    try {
      const passed = await steps(t, book, jupyter.url(path.basename(quickstart)), shot, data);
      await page.close();
      if (passed) await rendered(t, path.join(folder, path.basename(quickstart)));
    } finally {
      await page.close();
      await jupyter.stop();
      await remove(folder);
    }
  });
}

// steps is what a person does, one after the other. It returns whether all went well.
async function steps(t, book, url, shot, data) {
  const spentIn = async (cell) => {
    const meter = book.output(cell).locator("meter").last();
    assert.match(await meter.getAttribute("aria-label"), /^ledger: spent ε ≤ [\d.]+ of 2 at δ = 1e-05$/);
    return Number(await meter.getAttribute("value"));
  };
  const plan = book.cell("func plan(");
  const release = book.cell("viz.Result(result).Show()");
  const ledger = book.cell("viz.Ledger(status).Show()");
  let first;
  let failed = false; // what follows would only fail for the same reason
  const step = (name, run) => t.test(name, { skip: failed && "an earlier step failed" }, async () => {
    try {
      await run();
    } catch (err) {
      failed = true;
      t.diagnostic(`screenshots and Jupyter's log: ${process.env.E2E_PICTURES}`);
      await shot("failed").catch(() => {});
      throw err;
    }
  });

  await step("opens, and runs all cells", async () => {
    await book.open(url);
    await book.runAll();
    const broken = await book.page.locator(".output_error, .output_stderr").allInnerTexts();
    assert.deepEqual(broken, [], "no cell fails or warns");
    const counts = await book.page.locator(".code_cell .input_prompt").allInnerTexts();
    counts.forEach((c, i) => assert.match(c, new RegExp(`\\[${i + 1}\\]`), "every cell ran, once, in order"));
    assert.match(await book.output(book.cell("fmt.Println(origin)")).innerText(), data ? /^UCI Adult/ : /^synthetic look-alike of UCI Adult/);
  });

  await step("shows the cost as a table", async () => {
    const table = book.output(plan).locator(".dpnb-view table").first();
    await table.waitFor();
    assert.deepEqual(await table.locator("thead th").allInnerTexts(), ["#", "call", "role", "scope", "τ so far", "moved rows", "note"]);
    assert.equal(await table.locator("tbody tr").count(), 6);
    const impute = await table.locator("tbody tr", { hasText: "Impute" }).locator("td").allInnerTexts();
    assert.equal(impute[1], "Impute(Mean{})");
    assert.ok(Number(impute[4]) > 0, "what the imputation moves is not free");
  });

  await step("shows the waterfall as a picture", async () => {
    const seen = await book.output(plan).locator("img").evaluateAll((list) => list.map((el) => (
      { png: el.src.startsWith("data:image/png"), natural: el.naturalWidth, width: el.clientWidth, room: el.closest(".output_subarea").clientWidth })));
    assert.equal(seen.length, 1);
    assert.ok(seen[0].png && seen[0].natural === 1800, "a PNG of twice the density");
    assert.ok(seen[0].width > 600 && seen[0].width <= seen[0].room, `${seen[0].width} px wide where there are ${seen[0].room}`);
  });

  await step("draws the release once", async () => {
    assert.match(await book.output(release).innerText(), /drawn \S+ \S+ UTC and charged/);
    assert.match(await book.output(ledger).innerText(), /replayed from the ledger: nothing was drawn or charged/);
    first = await spentIn(release);
    assert.ok(first > 0 && first < 2);
    assert.equal(await spentIn(ledger), first);
    await shot("all");
    await shot("all", 400);
    await wide(book.page, 400);
    await wide(book.page, 1400);
  });

  await step("replays a release that is run again", async () => {
    await book.run(release);
    assert.match(await book.output(release).innerText(), /replayed from the ledger: nothing was drawn or charged; first drawn/);
    assert.equal(await spentIn(release), first);
  });

  await step("replays a release whose cell was edited", async () => {
    // The times are for people: a loaded machine has others.
    for (let i = 1; i <= 3; i++) t.diagnostic(`edited release cell, execute request to idle: ${await book.timed(release, `// edit ${i}`)} ms`);
    assert.match(await book.output(release).innerText(), /replayed from the ledger/);
    assert.equal(await spentIn(release), first);
  });

  await step("charges a release with another ε", async () => {
    await book.number(plan, "ByGradient{Epsilon: ", "0.5");
    await book.run(plan);
    await book.run(release);
    const text = await book.output(release).innerText();
    assert.match(text, /drawn \S+ \S+ UTC and charged/);
    assert.match(text, /ε\s+0\.5\s/);
    const second = await spentIn(release);
    assert.ok(second > first, `spent ${second} after ${first}`);
    await book.run(ledger);
    assert.match(await book.output(ledger).innerText(), /2 releases/);
    assert.equal(await spentIn(ledger), second);
    t.diagnostic(`spent ε ≤ ${first}, then ${second}`);
    await shot("charged");
    await book.save();
  });

  await step("refuses when the budget is spent", async () => {
    await book.number(plan, "ByGradient{Epsilon: ", "2.5");
    await book.run(plan);
    await book.run(release);
    const output = book.output(release);
    assert.match(await output.innerText(), /budget/i);
    assert.doesNotMatch(await output.innerText(), /and charged/);
    assert.equal(await output.locator("meter").count(), 0);
    await shot("refused");
  });

  await step("moves a progress bar, and takes it away", async () => {
    const cell = await book.append('import "time"\n\n%%\nbar := viz.Progress("steps")\nfor i := range 41 {\n\tbar(i, 40)\n\ttime.Sleep(120 * time.Millisecond)\n}\nfmt.Println("done")');
    await book.start(cell);
    // Every report replaces the element: it is looked at in one go.
    const seen = await (await book.page.waitForFunction((el) => {
      const bars = [...el.querySelectorAll(".output_area meter")];
      return bars[0]?.value >= 5 && { bars: bars.length, label: bars[0].getAttribute("aria-label") };
    }, await cell.elementHandle())).jsonValue();
    assert.equal(seen.bars, 1, "updated in place");
    assert.match(seen.label, /^steps: \d+ of 40$/);
    await book.output(cell).scrollIntoViewIfNeeded();
    await book.page.screenshot({ path: path.join(process.env.E2E_PICTURES, "progress.png") });
    await book.idle();
    assert.equal(await cell.locator(".output_area meter").count(), 0, "gone at the end");
    assert.match(await book.output(cell).innerText(), /done/);
  });
  return !failed;
}

// rendered looks at the page that nb html makes of the saved notebook.
async function rendered(t, file) {
  const run = promisify(execFile);
  await run(nb, ["html", file], { env });
  const name = (what) => path.join(process.env.E2E_PICTURES, `page-${what}.png`);
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1400, 400]) {
      await t.test(`nb html shows the saved notebook, ${colorScheme}, ${width} px`, async () => {
        const page = await chromium.newPage({ colorScheme, viewport: { width, height: 900 } });
        try {
          await page.goto(pathToFileURL(file.replace(/\.ipynb$/, ".html")).href);
          await page.screenshot({ path: name(`${colorScheme}-${width}`), fullPage: true });
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, "the page does not scroll sideways");
          const costs = await page.locator(".costs").innerText();
          assert.match(costs, /FitLogistic\(ByGradient\{Epsilon: 0\.5, Delta: 1e-06\}\)[^]*charged in cell \d+; replayed in cell \d+/);
          assert.match(costs, /2 releases in all/);
          const plot = page.locator("img.drawing").first();
          assert.ok(await plot.evaluate((el) => el.clientWidth) >= 600, "the words of a plot can be read");
          assert.equal(await plot.evaluate((el) => getComputedStyle(el).filter !== "none"), colorScheme === "dark", "a plot is dark on a dark page");
        } finally {
          await page.close();
        }
      });
    }
  }
}

// wide checks that nothing of an output sticks out of its cell.
async function wide(page, width) {
  await page.setViewportSize({ width, height: 900 });
  const out = await page.locator(".output_subarea > *").evaluateAll((list) => list.flatMap((el) => {
    const room = el.parentElement;
    return el.getBoundingClientRect().right > room.getBoundingClientRect().right + 1 && getComputedStyle(room).overflowX === "visible" ? [el.outerHTML.slice(0, 200)] : [];
  }));
  assert.deepEqual(out, [], `at ${width} px`);
  await page.setViewportSize({ width: 1400, height: 900 });
}
