
// The theme button: optional, the page follows the system without it.
(function () {
  var root = document.documentElement, button = document.getElementById("nb:theme"), key = "nb-theme";
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() { return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches; }
  function label() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "Switch to " + (isDark() ? "light" : "dark") + " colours");
  }
  try { var saved = localStorage.getItem(key); if (saved === "dark" || saved === "light") root.dataset.theme = saved; } catch (e) { /* storage is off */ }
  button.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem(key, root.dataset.theme); } catch (e) { /* storage is off */ }
    label();
  });
  dark.addEventListener("change", label);
  button.hidden = false;
  label();
})();
