// The model in a thread of its own. The first message brings the program, the others calls.
let ready;
onmessage = async ({ data: { id, wasm, call, argument } }) => {
  try {
    if (wasm) {
      const go = new Go();
      ready = WebAssembly.instantiate(wasm, go.importObject).then(({ instance }) => {
        go.run(instance);
      });
    }
    await ready;
    const result = call ? metastable[call](argument) : {};
    postMessage({ id, result }, Object.values(result.columns ?? {}).map((column) => column.buffer));
  } catch (error) {
    postMessage({ id, result: { error: String(error) } });
  }
};
