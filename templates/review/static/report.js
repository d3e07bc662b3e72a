// The token of a link stands behind its `#`, which no browser sends to a server or tells another site.
const form = document.querySelector("form[data-enter]");
const token = location.hash.slice(1);
if (form && token) {
  history.replaceState(null, "", location.pathname);
  form.elements.token.value = token;
  form.submit();
}
