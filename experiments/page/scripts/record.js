// The entry of a self-contained file: reads the recording and shows it.

import { mountBandit } from "lab/bandit_view";
import { mountGame } from "lab/game_view";
import { mountSearch } from "lab/search_view";

const recording = JSON.parse(document.getElementById("recording").textContent);
const mounts = { search: mountSearch, bandit: mountBandit, game: mountGame };
mounts[recording.kind](document.getElementById("main"), recording);
