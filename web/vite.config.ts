import { defineConfig } from "vite";

// `npm run dev` shows the page as it is being written, with the events of a program that already runs.
const watched = process.env["JETTISON_WATCH"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  server: { proxy: { "/events": watched, "/api": watched } },
  build: {
    target: "es2022",
    // The folder's .gitignore stays; the names below are always the same, so nothing old is left over.
    emptyOutDir: false,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/watch.js",
        chunkFileNames: "assets/watch-[name].js",
        assetFileNames: "assets/watch[extname]",
      },
    },
  },
});
