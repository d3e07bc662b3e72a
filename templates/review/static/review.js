// Keys of the review page. Everything here can be done by mouse and touch as well: keys only press what is on the page.
"use strict";
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = () => find("#group");
  const cards = () => all(".card");
  const current = () => find(".card.current") || find(".card");

  function look(card, scroll = true) {
    if (!card) return;
    all(".card.current").forEach((one) => one.classList.remove("current"));
    card.classList.add("current");
    card.focus({ preventScroll: true });
    follow(card);
    if (scroll) card.scrollIntoView({ block: "start" });
  }

  // The page beside the answer. On a wide screen it follows the answer in view; on a narrow one it opens below it.
  const sheet = () => find("#sheet");
  const wide = matchMedia("(min-width: 1200px)");
  let zoom = 1;
  let waiting = 0;

  function show(link, after) {
    const room = sheet();
    clearTimeout(waiting);
    if (!room || room.classList.contains("alone")) return false;
    if (!link) {
      room.hidden = true;
      return false;
    }
    const columns = find(".with-sheet");
    const beside = columns && wide.matches;
    (beside ? columns : after || link.closest(".card, .entry") || room.parentElement).append(room);
    room.hidden = false;
    htmx.ajax("GET", link.getAttribute("href"), { target: room, swap: "innerHTML" }).then(() => {
      if (!beside) room.scrollIntoView({ block: "start" });
    });
    return true;
  }

  function follow(card) {
    if (!sheet()) return;
    const link = card && find("a[data-sheet]", card);
    clearTimeout(waiting);
    if (wide.matches && find(".with-sheet")) waiting = setTimeout(() => show(link), 150);
    else sheet().hidden = true;
  }

  function toggle() {
    const room = sheet();
    const card = current();
    if (!room || !card) return false;
    if (!room.hidden) room.hidden = true;
    else return show(find("a[data-sheet]", card));
    return true;
  }

  function zoomed(by) {
    const paper = find("#sheet .paper");
    if (!paper || sheet().hidden) return false;
    zoom = Math.min(Math.max(zoom + 0.25 * by, 0.75), 4);
    placed();
    return true;
  }

  function placed() {
    const room = find("#sheet .paper-room");
    if (!room) return;
    find(".paper", room)?.style.setProperty("--zoom", zoom);
    const place = find("#place", room);
    const to = () => {
      if (!place) return;
      const [own, its] = [room.getBoundingClientRect(), place.getBoundingClientRect()];
      room.scrollTo(
        room.scrollLeft + its.left - own.left - Math.max((own.width - its.width) / 2, 24),
        room.scrollTop + its.top - own.top - own.height / 3,
      );
    };
    all("img", room).forEach((image) => image.complete || image.addEventListener("load", to, { once: true }));
    to();
  }

  function step(by) {
    const list = cards();
    const at = list.indexOf(find(".card.current"));
    if (list.length) look(list[Math.min(Math.max(at + by, 0), list.length - 1)]);
  }

  function choose(value) {
    const radio = find(`#group input[name=verdict][value="${value}"]`);
    if (radio) {
      radio.checked = true;
      told();
    }
    return Boolean(radio);
  }

  function told() {
    const group = form();
    if (!group) return;
    const button = find("[data-decide]", group);
    const out = all("input[name=out]", group).filter((one) => one.checked);
    const number = cards().length - out.length; // only what is shown is decided
    const words = number === 1 ? button.dataset.one : button.dataset.many.replace("{number}", number);
    find("[data-label]", button).textContent = words;
    button.disabled = number < 1;
    const sum = find("[data-sum]", group);
    if (sum) {
      const rows = all("input[name=row]:checked", group).reduce((all, row) => all + Number(row.dataset.worth), 0);
      const most = Number(sum.closest("label").querySelector("input").dataset.maximum.replace(",", "."));
      const worth = Math.round(100 * Math.min(Math.max(rows, 0), most)) / 100;
      sum.textContent = worth.toLocaleString(document.documentElement.lang || "en");
    }
    all(".card", group).forEach((card) => {
      const box = find("input[name=out]", card);
      card.classList.toggle("is-out", Boolean(box && box.checked));
    });
    find(".bar", group).classList.toggle(
      "wide",
      Boolean(find("input[value=points]:checked", group) || find(".bar.open", group) ||
        find("textarea[name=comment]", group).value || find("input[name=points]", group)?.value),
    );
  }

  function tick(digit) {
    const group = form();
    if (digit === "0") all("input[name=row]:checked", group).forEach((row) => { row.checked = false; });
    else {
      const row = find(`input[data-row="${digit}"]`, group);
      if (!row) return false;
      row.checked = !row.checked;
    }
    return choose("rows");
  }

  function open(name) {
    const group = form();
    if (!group) return false;
    find(".bar", group).classList.add("open", "wide");
    const field = find(`[name=${name}]`, group);
    if (!field) return false;
    if (name === "points") choose("points");
    field.focus();
    return true;
  }

  function submit(button) {
    const group = form();
    if (group.classList.contains("htmx-request")) return; // the one before is on its way
    const points = find("input[name=points]", group)?.value;
    if (!find("input[name=verdict]:checked", group) && points) choose("points");
    if (!find("input[name=verdict]:checked", group)) {
      warn(find("legend", group).textContent + "?");
      find("input[name=verdict]", group).focus();
      return;
    }
    if (!asks(group, button)) button.click();
  }

  // Below full points the student should read why: once, a remark is asked for. The grader's own verdict has its reason.
  let meant = null; // the button that was pressed when a remark was asked for
  function asks(group, button) {
    const verdict = find("input[name=verdict]:checked", group).value;
    const points = find("input[name=points]", group)?.value.replace(",", ".");
    const full = verdict === "points" ? Number(points) >= Number(group.dataset.full?.replace(",", ".")) : verdict === "correct";
    const is_told = find("textarea[name=comment]", group).value || verdict === "rows" || verdict === group.dataset.suggested;
    if (!group.dataset.ask || full || is_told || group.dataset.asked) return false;
    group.dataset.asked = "yes";
    meant = button;
    open("comment");
    warn(group.dataset.ask);
    return true;
  }

  function remark(text) {
    const group = form();
    const texts = all("[data-remark]", group).map((one) => one.textContent);
    if (!texts.length) return false;
    const field = find("textarea[name=comment]", group);
    field.value = text || texts[(texts.indexOf(field.value) + 1) % texts.length];
    told();
    return true;
  }

  function warn(text) {
    const place = find("#told");
    place.replaceChildren();
    const line = document.createElement("p");
    line.className = "toast bad";
    line.textContent = text;
    place.append(line);
    setTimeout(() => line.remove(), 6000);
  }

  function undo() {
    const hidden = find("#undo");
    find("input[name=back]", hidden).value = location.pathname;
    hidden.requestSubmit();
  }

  const typing = (target) => target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (find("dialog[open]")) return;
    const group = form();
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      else if (event.key === "Enter" && !event.shiftKey && group && group.contains(event.target)) {
        event.preventDefault();
        submit(meant?.isConnected ? meant : find("[data-decide]", group));
      }
      return;
    }
    const digit = /^(Digit|Numpad)([0-9])$/.exec(event.code);
    const key = event.key.toLowerCase();
    let done = true;
    if (event.key === "?") find("#help").showModal();
    else if (key === "u") undo();
    else if (key === "+" || key === "=") done = zoomed(1);
    else if (key === "-") done = zoomed(-1);
    else if (key === "v") done = toggle();
    else if (key === "[" || key === "]") {
      const turn = find(`#sheet:not([hidden]) [data-turn="${key === "]" ? 1 : -1}"]`);
      if (turn) turn.click();
      else done = false;
    }
    else if (key === "k" && !group) done = false;
    else if (!group) {
      const start = find("[data-start]");
      if (event.key === "Enter" && start && !event.target.closest("a, button, summary")) start.click();
      else if (key === "j" && start) start.click();
      else done = false;
    } else if (digit && !event.repeat) {
      const verdict = find(`input[data-key="${digit[2]}"]`, group);
      if (find(".rubric", group)) done = tick(digit[2]);
      else if (verdict) verdict.click();
      else done = false;
    } else if (key === "a") {
      if (!group.dataset.suggested || !choose(group.dataset.suggested)) done = false;
      else if (event.shiftKey) submit(find("[data-decide]", group));
    } else if (event.key === "Enter") {
      if (event.target.closest("a, summary, button:not([data-decide])")) done = false;
      else if (event.shiftKey) submit(find("button[name=only]", current()));
      else if (!event.repeat) submit(find("[data-decide]", group));
    } else if (event.key === " ") {
      if (event.target.closest("a, summary, button, input[type=checkbox]")) done = false;
      else step(event.shiftKey ? -1 : 1);
    } else if (key === "x") {
      const card = current();
      look(card, false);
      find("input[name=out]", card).click();
    } else if (key === "c") open("comment");
    else if (key === "r") done = remark();
    else if (key === "p") open("points");
    else if (key === "j") location.assign(group.dataset.next);
    else if (key === "k") location.assign("/");
    else done = false;
    if (done) event.preventDefault();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("#group input[name=row]")) choose("rows");
    if (form() && form().contains(event.target)) told();
    if (event.target.matches("#group input[value=points]")) find("#group input[name=points]").focus();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]")) find("#help").showModal();
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
    const link = event.target.closest("a[data-sheet], #sheet a[data-turn]");
    if (link && plain && show(link, link.matches("[data-turn]") ? sheet().parentElement : null)) event.preventDefault();
    const larger = event.target.closest("[data-zoom-by]");
    if (larger) zoomed(Number(larger.dataset.zoomBy));
    if (event.target.closest("[data-close-sheet]")) sheet().hidden = true;
    if (event.target.closest("[data-undo]")) undo();
    const field = event.target.closest("[data-open]");
    if (field) open(field.dataset.open);
    const accept = event.target.closest("[data-accept]");
    if (accept && choose(form().dataset.suggested)) find("[data-decide]", form()).focus();
    const given = event.target.closest("[data-remark]");
    if (given) remark(given.textContent);
    const only = event.target.closest("button[name=only]");
    if (only && !find("input[name=verdict]:checked", form())) {
      event.preventDefault();
      warn(find("legend", form()).textContent + "?");
    }
  });
  document.addEventListener("submit", (event) => {
    const group = form();
    const sent = event.target;
    const stop = () => { event.preventDefault(); event.stopPropagation(); };
    if (sent === group) {
      const chosen = find("input[name=verdict]:checked", group);
      if (chosen && !asks(group, event.submitter)) return;
      stop();
      if (!chosen) submit(event.submitter || find("[data-decide]", group));
    } else if (sent.dataset.ask && !sent.dataset.asked && !find("textarea", sent).value) {
      if (["correct", "back", "rows"].includes(event.submitter?.value)) return;
      stop();
      sent.dataset.asked = "yes";
      find("textarea", sent).focus();
      warn(sent.dataset.ask);
    }
  }, true);

  document.addEventListener("htmx:responseError", (event) => warn(event.detail.xhr.responseText.slice(0, 300)));
  document.addEventListener("htmx:sendError", () => warn(document.title + ": ✗"));
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "sheet") return placed();
    if (event.detail.target.id !== "main") return told(); // more cards are shown
    window.scrollTo(0, 0);
    begin();
  });

  function begin() {
    const group = form();
    meant = null;
    if (group) {
      look(find(".card"), false);
      told();
    } else if (document.activeElement === document.body) find("#main").focus({ preventScroll: true });
  }
  begin();
  placed();
})();
