// The entry of a self-contained file: reads the recording and shows it.

import { mountBandit } from "lab/bandit_view";
import { mountSearch } from "lab/search_view";

const recording = JSON.parse(document.getElementById("recording").textContent);
const mount = recording.kind === "search" ? mountSearch : mountBandit;
mount(document.getElementById("main"), recording);
