// Tables that can be sorted and filtered, what is known of a cell, and charts for pictures.

const read = (id) => JSON.parse(document.getElementById(id).textContent);

const number = (text) => {
  const found = /[-+−]?\d*\.?\d+(e[-+]?\d+)?/.exec(text.replace(/,/g, ""));
  return found ? parseFloat(found[0].replace("−", "-")) : NaN;
};

// The value alone: what stands beside it, such as the difference, is in an element of its own.
const valueOf = (cell) => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".gap").forEach((gap) => gap.remove());
  return copy.textContent.trim();
};

for (const sort of document.querySelectorAll(".sort")) {
  sort.addEventListener("click", () => {
    const head = sort.closest("th");
    const index = [...head.parentElement.children].indexOf(head);
    const body = head.closest("table").tBodies[0];
    // Numbers are looked at from the largest down, names from A on.
    const first = head.classList.contains("number") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    for (const each of head.parentElement.children) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...body.rows].map((row) => {
      const text = valueOf(row.cells[index]);
      return { row, text, value: head.classList.contains("number") ? number(text) : NaN };
    });
    rows.sort((a, b) => {
      if (head.classList.contains("number")) {
        // What has no number comes last, whatever the order.
        if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
        return sign * (a.value - b.value);
      }
      return sign * a.text.localeCompare(b.text, "en", { numeric: true });
    });
    body.append(...rows.map(({ row }) => row));
  });
}

for (const field of document.querySelectorAll(".tools input")) {
  const table = field.closest(".table");
  const rows = [...table.querySelector("table").tBodies[0].rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => texts.get(row).includes(word));
    const shown = rows.filter((row) => !row.hidden).length;
    table.querySelector("output").value = words.length ? `${shown} of ${rows.length} rows` : "";
  });
}

const notes = read("notes");
const dialog = document.getElementById("about-cell");

document.addEventListener("click", (event) => {
  const cell = event.target.closest(".cell");
  if (!cell) return;
  const [title, facts] = notes[cell.dataset.note];
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("dl").replaceChildren(
    ...facts.flatMap(([name, text]) => {
      const term = document.createElement("dt");
      const told = document.createElement("dd");
      term.textContent = name;
      told.textContent = text;
      told.classList.toggle("exact", name === "Digest" || name === "Recompute");
      return [term, told];
    }),
  );
  dialog.showModal();
});
dialog.querySelector("button").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

// A link into what is folded opens it.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target && target.closest("details.fold");
  if (fold && !fold.open) {
    fold.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", unfold);
unfold();
const contents = document.querySelector("#contents details");
const wide = matchMedia("(min-width: 68rem)");
const arrange = () => (contents.open = wide.matches);
wide.addEventListener("change", arrange);
arrange();

// Charts are drawn when they come near; the picture stays for print, and where that fails.
const specs = read("specs");
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      const place = document.createElement("div");
      place.className = "chart";
      target.querySelector(".paper").append(place);
      window
        .vegaEmbed(place, specs[target.dataset.chart], { actions: false, renderer: "svg" })
        .then(() => target.classList.add("drawn"))
        .catch((error) => {
          place.remove();
          console.error(`chart ${target.dataset.chart}: ${error}`);
        });
    }
  },
  { rootMargin: "600px" },
);
for (const figure of document.querySelectorAll("[data-chart]")) near.observe(figure);
