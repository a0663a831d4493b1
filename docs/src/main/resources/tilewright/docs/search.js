// Every word must occur; titles count most.
const input = document.getElementById("search");
const found = document.getElementById("found");
const root = document.body.dataset.root;
const MOST = 10;
const AROUND = 60;

function score(entry, words) {
  const title = entry.title.toLowerCase();
  const text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (!title.includes(word) && !text.includes(word)) return 0;
    sum += title.includes(word) ? 10 : 1;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const begin = Math.max(0, at - AROUND);
  return (begin > 0 ? "…" : "") + text.slice(begin, at + AROUND) + (at + AROUND < text.length ? "…" : "");
}

function item(entry, words) {
  const link = document.createElement("a");
  link.href = root + entry.href;
  link.textContent = entry.title;
  const text = document.createElement("span");
  text.textContent = excerpt(entry.text, words[0]);
  const line = document.createElement("li");
  line.append(link, text);
  return line;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
  const hits = words.length === 0 ? [] : SEARCH_INDEX.map(entry => [score(entry, words), entry])
    .filter(([points]) => points > 0).sort(([a], [b]) => b - a).slice(0, MOST);
  const list = document.createElement("ul");
  list.append(...hits.map(([, entry]) => item(entry, words)));
  const none = document.createElement("p");
  none.textContent = `No page has “${input.value.trim()}”. Try fewer or shorter words.`;
  found.replaceChildren(hits.length > 0 ? list : none);
  found.hidden = words.length === 0;
}

input.addEventListener("input", search);
input.addEventListener("keydown", event => {
  const first = found.querySelector("a");
  if (event.key === "Enter" && first !== null) first.click();
  if (event.key === "Escape") {
    input.value = "";
    search();
  }
});
