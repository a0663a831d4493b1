// Runs before the page is drawn, so that a stored theme does not flash. Works without storage: the choice then lasts a page.
const THEMES = ["auto", "light", "dark"];
const page = document.documentElement;
page.classList.add("script");

function stored() {
  try {
    return localStorage.getItem("tilewright-theme");
  } catch {
    return null;
  }
}

function choose(theme) {
  if (theme === "auto") delete page.dataset.theme;
  else page.dataset.theme = theme;
  try {
    localStorage.setItem("tilewright-theme", theme);
  } catch {
    // Nothing to remember it in.
  }
}

choose(THEMES.includes(stored()) ? stored() : "auto");

// Lets the keyboard reach what scrolls.
function reach() {
  for (const box of document.querySelectorAll("pre, .scroll, .imageblock, .chart")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

addEventListener("load", reach);
addEventListener("resize", reach);

document.addEventListener("DOMContentLoaded", () => {
  const theme = document.getElementById("theme");
  const label = () => theme.textContent = "Theme: " + (page.dataset.theme ?? "auto");
  label();
  theme.addEventListener("click", () => {
    const now = THEMES.indexOf(page.dataset.theme ?? "auto");
    choose(THEMES[(now + 1) % THEMES.length]);
    label();
  });

  const menu = document.getElementById("menu");
  menu.addEventListener("click", () => {
    const open = page.classList.toggle("menu-open");
    menu.setAttribute("aria-expanded", open);
  });
});
