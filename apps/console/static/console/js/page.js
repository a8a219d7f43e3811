// Small comforts. Every page works without them.
"use strict";

document.documentElement.classList.add("js");

(() => {
  const announce = (button, text) => {
    const before = button.dataset.label ?? button.textContent;
    button.dataset.label = before;
    button.textContent = text;
    window.setTimeout(() => { button.textContent = before; }, 2000);
  };

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      announce(button, button.dataset.done);
    } catch {
      // No clipboard here: select the text, so that it can be copied by hand.
      window.getSelection().selectAllChildren(source);
    }
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // A form is sent once. Coming back to the page makes it usable again.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) { event.preventDefault(); return; }
    if (form.hasAttribute("hx-post") || form.method === "get") return;
    form.dataset.sent = "1";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });
})();
