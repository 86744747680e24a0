// Browsers start no worker from a file. The search then runs in a hidden frame of the page, with the messages of a worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      const frame = Object.assign(document.createElement("iframe"), { hidden: true });
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (address) =>
        new Promise((loaded, failed) => {
          const element = Object.assign(this.scope.document.createElement("script"), { src: address, onload: loaded, onerror: failed });
          this.scope.document.body.append(element);
        });
      this.scope.importScripts = (...addresses) => Promise.all(addresses.map(load));
      this.loaded = load(script);
      this.addEventListener("message", (event) => this.onmessage?.(event));
    }

    postMessage(data) {
      this.loaded.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  };
}
