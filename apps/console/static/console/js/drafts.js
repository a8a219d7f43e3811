// The connection form: typed values survive leaving and returning, unsaved changes hold the test back,
// and a stored key is replaced on purpose only. A secret is never kept.
"use strict";

(() => {
  const form = document.querySelector("form[data-draft]");
  if (!form) return;
  const key = `draft:${form.dataset.draft}`;
  const fields = [...form.querySelectorAll("input, select, textarea")].filter((field) => field.type !== "hidden");
  const open = fields.filter((field) => field.type !== "password");
  const saved = new Map(fields.map((field) => [field.name, field.dataset.saved ?? field.value]));
  const test = document.querySelector("[data-test]");
  const wait = document.querySelector("[data-save-first]");

  const isChanged = () => fields.some((field) => field.value !== saved.get(field.name));

  const show = () => {
    if (!test || !wait) return;
    const changed = isChanged();
    wait.hidden = !changed;
    test.setAttribute("aria-disabled", String(changed));
  };

  const keep = () => {
    const typed = Object.fromEntries(open.map((field) => [field.name, field.value]));
    if (isChanged()) window.sessionStorage.setItem(key, JSON.stringify(typed));
    else window.sessionStorage.removeItem(key);
    show();
  };

  const restore = () => {
    if (form.dataset.refused) return;
    const typed = JSON.parse(window.sessionStorage.getItem(key) ?? "{}");
    for (const field of open) {
      if (typeof typed[field.name] === "string") field.value = typed[field.name];
    }
  };

  for (const button of form.querySelectorAll("[data-replace]")) {
    const secret = document.getElementById(button.dataset.replace);
    secret.readOnly = true;
    button.addEventListener("click", () => {
      secret.readOnly = false;
      secret.focus();
    });
  }

  restore();
  show();
  form.addEventListener("input", keep);
  form.addEventListener("submit", () => window.sessionStorage.removeItem(key));
  if (test) {
    test.form.addEventListener("submit", (event) => { if (isChanged()) event.preventDefault(); });
    document.addEventListener("htmx:confirm", (event) => {
      if (event.target === test.form && isChanged()) event.preventDefault();
    });
  }
})();
