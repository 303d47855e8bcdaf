// The browser: Chromium of the system, headless.
import { chromium } from "playwright-core";

// startChromium starts CHROMIUM, else Debian's. Its sandbox needs another user than root.
export const startChromium = () => chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  chromiumSandbox: process.getuid() !== 0,
});
