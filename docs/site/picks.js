// Shows the answer for the chosen needs. All answers are in the page: nothing is computed, and nothing is loaded.
(() => {
  const place = document.getElementById("picks");
  if (!place) return;
  const answers = JSON.parse(document.getElementById("picks-data").textContent);
  const form = document.createElement("form");
  const output = document.createElement("output");
  output.setAttribute("aria-live", "polite");

  const choice = (title) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.append(title, select);
    form.append(label);
    return select;
  };
  const models = choice("Model");
  const latencies = choice("95 of 100 requests are answered within");
  const peaks = choice("Requests per second at peak");

  // Keeps what is chosen where the new model has it, too.
  const offer = (select, values, words) => {
    const before = select.value;
    select.replaceChildren(...[...new Set(values)].map((value) => new Option(words(value), value)));
    if ([...select.options].some((option) => option.value === before)) select.value = before;
  };
  const milliseconds = (ms) => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });

  const show = () => {
    const found = answers.find(
      (one) => one.model === models.value && String(one.latency_ms) === latencies.value && String(one.peak) === peaks.value,
    );
    const needs = `${found.model}, ${found.request} in a request, p95 within ${milliseconds(found.latency_ms)}, ${found.peak} per second at peak:`;
    output.replaceChildren(element("div", `For ${needs}`));
    if (found.refused) {
      output.append(element("strong", "no instance type is picked"), element("div", found.refused));
    } else {
      output.append(
        element("strong", `${found.pick} at ${found.cost} USD per month`),
        element("div", `Predicted: ${found.predicted}. Next best: ${found.next}.`),
      );
    }
  };
  const offerNeeds = () => {
    const own = answers.filter((one) => one.model === models.value);
    offer(latencies, own.map((one) => one.latency_ms), milliseconds);
    offer(peaks, own.map((one) => one.peak), String);
    show();
  };

  offer(models, answers.map((one) => one.model), String);
  models.addEventListener("change", offerNeeds);
  for (const select of [latencies, peaks]) select.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  place.append(form, output);
  offerNeeds();
})();
