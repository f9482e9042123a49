// What a keyboard needs and the theme leaves out: boxes that scroll can be reached, "/" goes to the search box.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = new ResizeObserver((seen) => {
    for (const { target: box } of seen) {
      const wide = box.scrollWidth > box.clientWidth;
      for (const [name, value] of [
        ["tabindex", "0"],
        ["role", "group"], // a region would be a landmark, and a page has many boxes
        ["aria-label", "wider than the page; arrow keys scroll"],
      ])
        wide ? box.setAttribute(name, value) : box.removeAttribute(name);
    }
  });
  for (const box of document.querySelectorAll("article pre, .table-wrapper")) boxes.observe(box);
  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("input.sidebar-search");
    if (event.key === "/" && search && !/input|textarea|select/i.test(document.activeElement.tagName)) {
      event.preventDefault();
      search.focus();
    }
  });
});
