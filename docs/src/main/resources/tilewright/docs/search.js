// Every word must occur; titles count most.
const input = document.getElementById("search");
const found = document.getElementById("found");
const root = document.body.dataset.root;

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

input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
  const hits = words.length === 0 ? [] : SEARCH_INDEX.map(entry => [score(entry, words), entry])
    .filter(([points]) => points > 0).sort(([a], [b]) => b - a).slice(0, 10);
  found.replaceChildren(...hits.map(([, entry]) => {
    const link = document.createElement("a");
    link.href = root + entry.href;
    link.textContent = entry.title;
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  found.hidden = hits.length === 0;
});
