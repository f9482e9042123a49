// Which page of those found stands first: a beginner's page, then the handbook; what lists everything stands last.
var Scorer = {
  score: ([page, , , , score]) => {
    if (page === "start") return score + 30;
    if (page.startsWith("modules/")) return score + 15;
    if (page.startsWith("reference/") || page.startsWith("analysis/")) return score - 5;
    // a word that has an entry of its own counts up to 100; the page that teaches the word comes first
    if (page === "glossary") return score - 60;
    if (page === "changelog") return score - 15;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
