// The library is a script before the modules, or is missing if the program was built without it.

import type Library from "uplot";

declare global {
  var uPlot: typeof Library | undefined;
}
