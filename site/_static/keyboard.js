// What a keyboard needs and the theme leaves out: boxes that scroll can be reached, "/" goes to the search box.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("div.highlight pre, .table-wrapper, .cell_output pre")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group"); // a region would be a landmark, and one page has many
      box.setAttribute("aria-label", "wider than the page; arrow keys scroll");
    }
  }
  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("input.sidebar-search");
    if (event.key === "/" && search && !/input|textarea|select/i.test(document.activeElement.tagName)) {
      event.preventDefault();
      search.focus();
    }
  });
});
