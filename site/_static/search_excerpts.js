// Sphinx fetches the pages that it found, to show an excerpt of each. A browser refuses that for a page opened from a
// folder. The text of each page therefore also stands in a script, texts/PAGE.js, which hands it to pageText.
{
  const waiting = new Map();
  window.pageText = (page, text) => waiting.get(page)?.(text);

  const loaded = (page) =>
    new Promise((done) => {
      const root = document.documentElement.dataset.content_root;
      const script = document.createElement("script");
      waiting.set(page, done);
      script.src = `${root}texts/${page}.js`;
      document.head.append(script);
    });

  const texts = new Map(); // several hits may lie on one page
  window.fetch = async (address) => {
    const root = document.documentElement.dataset.content_root;
    const page = String(address).slice(root.length).replace(/\.html$/, "");
    if (!texts.has(page)) texts.set(page, loaded(page));
    const text = await texts.get(page);
    return { text: async () => text };
  };
}
