// Dragging cards. A refused move is told in the column where the card was dropped, with the way to do it after all.
"use strict";

(() => {
  const { act, ask, asks, hold, release, surroundings, find } = Signalbox;
  let dragged = null;

  document.addEventListener("dragstart", (event) => {
    const card = event.target.closest(".card");
    if (!card) return;
    dragged = card;
    card.classList.add("dragging");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.dataset.ticket);
    hold();
  });
  document.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("dragging");
    dragged = null;
    for (const column of document.querySelectorAll(".column.over")) column.classList.remove("over");
    release();
  });
  document.addEventListener("dragover", (event) => {
    const column = event.target.closest(".column");
    if (!dragged || !column) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    for (const other of document.querySelectorAll(".column.over")) if (other !== column) other.classList.remove("over");
    column.classList.add("over");
  });
  document.addEventListener("drop", async (event) => {
    const column = event.target.closest(".column");
    if (!dragged || !column) return;
    event.preventDefault();
    const at = surroundings(dragged);
    const to = column.dataset.status;
    if (to === at.status) return;
    const answer = await act({ do: "move", ticket: at.ticket, to, text: "" });
    if (answer.refused) refused(column, { ...at, to }, answer.refused);
  });

  function refused(column, at, words) {
    const box = find(".refused", column);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "With words…";
    button.addEventListener("click", () => { box.hidden = true; ask(asks.move(at)); });
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.textContent = "All right";
    close.addEventListener("click", () => { box.hidden = true; box.removeAttribute("data-keep"); });
    const text = document.createElement("span");
    text.textContent = `${at.ticket} was not moved: ${words} `;
    box.replaceChildren(text, button, " ", close);
    box.setAttribute("data-keep", "");
    box.hidden = false;
  }

  // More of a column: the same page with longer columns.
  document.addEventListener("click", (event) => {
    const more = event.target.closest("a[data-more]");
    if (!more || Number(more.dataset.more) > 500) return;
    event.preventDefault();
    const address = new URL(location.href);
    address.searchParams.set("most", more.dataset.more);
    location.assign(address);
  });
})();
