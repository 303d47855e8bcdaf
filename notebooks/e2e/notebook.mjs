// The page of Jupyter Notebook 6, used as a person does: by its menus, cells and keys.

export class NotebookPage {
  constructor(page) { this.page = page; }

  // open loads the notebook and waits for its kernel.
  async open(url) {
    await this.page.goto(url);
    await this.page.waitForFunction(() => window.Jupyter?.notebook?.kernel?.is_connected?.() && Jupyter.notebook._fully_loaded);
    await this.idle();
  }

  // cell is the code cell with the text.
  cell(text) { return this.page.locator(".code_cell", { has: this.page.locator(".input_area", { hasText: text }) }); }

  output(cell) { return cell.locator(".output_wrapper"); }

  // idle waits until every cell that was asked for has run: none shows In [*].
  async idle() {
    const timeout = 180_000; // all cells of a notebook, on a machine that is busy
    await this.page.locator("#kernel_indicator_icon.kernel_idle_icon").waitFor({ timeout });
    await this.page.waitForFunction(() => !/\[\*\]/.test(document.getElementById("notebook-container").innerText), undefined, { timeout });
  }

  // menu chooses an item by its id, as in menu("Cell", "run_all_cells").
  async menu(name, id) {
    await this.page.locator("#menubar").getByRole("link", { name, exact: true }).click();
    await this.page.locator(`#menubar #${id} > a`).click();
  }

  async runAll() {
    await this.menu("Cell", "run_all_cells");
    await this.idle();
  }

  // run executes the cell by its key and waits for the end of it.
  async run(cell) {
    await this.start(cell);
    await this.idle();
  }

  // start executes the cell by its key.
  async start(cell) {
    const before = await cell.locator(".input_prompt").innerText();
    await cell.locator(".CodeMirror-line").first().click();
    await this.page.keyboard.press("Control+Enter");
    await this.page.waitForFunction(([el, text]) => el.querySelector(".input_prompt").innerText !== text, [await cell.elementHandle(), before]);
  }

  // number replaces the first number that follows the text in the cell's code, by a double click and typing.
  async number(cell, after, value) {
    const line = cell.locator(".CodeMirror-line", { hasText: after });
    const at = await line.evaluate((el, text) => {
      const numbers = [...el.querySelectorAll(".cm-number")];
      return numbers.findIndex((n) => {
        const r = document.createRange();
        r.setStart(el, 0);
        r.setEndBefore(n);
        return r.toString().endsWith(text);
      });
    }, after);
    if (at < 0) throw new Error(`no number follows ${JSON.stringify(after)}`);
    await line.locator(".cm-number").nth(at).dblclick();
    await this.page.keyboard.type(value);
  }

  // append adds a code cell with the source below the last one.
  async append(source) {
    await this.page.locator(".cell").last().click();
    await this.menu("Insert", "insert_cell_below");
    await this.page.locator(".cell").last().locator(".CodeMirror").click();
    await this.page.keyboard.insertText(source);
    return this.page.locator(".cell").last();
  }

  // save writes the notebook by its key.
  async save() {
    await this.page.keyboard.press("Control+s");
    await this.page.waitForFunction(() => !Jupyter.notebook.dirty);
  }

  // timed adds the text at the end of the cell, runs it, and returns the milliseconds from the request to idle.
  async timed(cell, text) {
    await cell.locator(".CodeMirror-line").last().click();
    await this.page.keyboard.press("Control+End");
    await this.page.keyboard.type("\n" + text);
    await this.page.evaluate(() => {
      window.e2e = { idle: new Promise((resolve) => {
        const { kernel } = Jupyter.notebook;
        const execute = kernel.execute;
        kernel.execute = function (...args) {
          kernel.execute = execute;
          const from = performance.now();
          kernel.events.one("kernel_idle.Kernel", () => resolve(performance.now() - from));
          return execute.apply(this, args);
        };
      }) };
    });
    await this.start(cell);
    const took = await this.page.evaluate(() => window.e2e.idle);
    await this.idle();
    return Math.round(took);
  }

  // picture keeps a screenshot of the whole notebook at the width, and puts the window back.
  async picture(file, width) {
    const before = this.page.viewportSize();
    await this.page.setViewportSize({ width, height: 900 });
    const height = await this.page.evaluate(() => document.getElementById("notebook").scrollHeight + document.getElementById("header").offsetHeight);
    await this.page.setViewportSize({ width, height: height + 40 });
    await this.page.screenshot({ path: file });
    await this.page.setViewportSize(before);
  }
}
