// The entry of a self-contained file: reads the recording and shows it.

import { mountBandit } from "lab/bandit/view";
import { mountGame } from "lab/recording/game_view";
import { mountSearch } from "lab/recording/search_view";

const recording = JSON.parse(document.getElementById("recording").textContent);
const mounts = { search: mountSearch, bandit: mountBandit, game: mountGame };
mounts[recording.kind](document.getElementById("main"), recording);
