// What scrolls sideways is reached by the keyboard, too.
addEventListener("load", () => {
  for (const one of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
});
