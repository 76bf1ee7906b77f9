// A browser starts no worker of a page opened from disk: there the search runs in a hidden frame.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data: structuredClone(data) });
        this.onmessage?.(event);
        this.dispatchEvent(event);
      };
      this.ready = new Promise((done) => {
        const script = inner.document.createElement("script");
        script.src = new URL(url, document.baseURI).href;
        script.onload = done;
        script.onerror = (event) => this.onerror?.(event);
        inner.document.head.append(script);
      });
    }
    postMessage(data) {
      this.ready.then(() => {
        const inner = this.frame.contentWindow;
        const copy = inner?.structuredClone(data); // as of a worker: nothing is shared
        inner?.dispatchEvent(new inner.MessageEvent("message", { data: copy }));
      });
    }
    terminate() {
      this.frame.remove();
    }
  };
