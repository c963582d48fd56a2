"""modicum import: histories of other tools."""

import json
import unittest

from _support import CommandLineTest

EVENT = ("ComposedDpEvent(events=[SelfComposedDpEvent(event=PoissonSampledDpEvent("
         "sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.0)), count=1000)])")


class Import(CommandLineTest):
    def test_an_event_is_a_training_run(self):
        answer = json.loads(self.succeed("import", self.file(EVENT, "event.txt"), "--adjacency", "add_remove",
                                         "--json"))
        self.assertEqual(answer["format"], "event of dp_accounting")
        self.assertEqual(answer["adjacency"], "add_remove")
        self.assertEqual(answer["description"],
                         {"mechanism": "subsampled_gaussian", "adjacency": "add_remove", "noise_multiplier": 1,
                          "sampling_rate": 0.01, "count": 1000})

    def test_what_is_shown_is_a_description(self):
        text = self.succeed("import", self.file("[(1.0, 0.01, 1000)]", "history.txt"), "--adjacency", "add-remove")
        epsilon = self.ask("epsilon", json.loads(text), "--delta", "1e-5", "--fast")["epsilon"]
        self.assertAlmostEqual(epsilon["upper"], 1.82823666651658, 9)

    def test_it_can_be_written(self):
        place = self.folder / "description.json"
        text = self.succeed("import", self.file("[(2.0, 1.0, 3)]", "history.txt"), "--adjacency", "zero_out",
                            "--output", place)
        self.assertIn("Gaussian", text)
        self.assertEqual(json.loads(place.read_text())["count"], 3)

    def test_the_neighbors_must_be_said(self):
        self.assertIn("--adjacency", self.refuse(2, "import", self.file("[(2.0, 1.0, 3)]", "h.txt")))

    def test_unknown_events_are_refused_by_name(self):
        error = self.refuse(2, "import", self.file("MyDpEvent(x=1)", "event.txt"), "--adjacency", "add_remove")
        self.assertIn("MyDpEvent", error)
        self.assertIn("event.txt", error)
        error = self.refuse(2, "import", self.file("NonPrivateDpEvent()", "event.txt"), "--adjacency", "add_remove")
        self.assertIn("NonPrivateDpEvent", error)

    def test_one_direction_needs_a_word(self):
        file = self.file({"pessimistic_pmf": {"min_key": 0, "values": [0.75], "infinity_mass": 0.25}})
        self.assertIn("--symmetric", self.refuse(2, "import", file, "--adjacency", "add_remove"))
        text = self.succeed("import", file, "--adjacency", "add_remove", "--symmetric")
        self.assertEqual(self.ask("profile", json.loads(text), "--epsilon", 1)["delta"]["upper"], 0.25)

    def test_files_that_are_not_there(self):
        self.refuse(4, "import", self.folder / "nothing.txt", "--adjacency", "add_remove")


if __name__ == "__main__":
    unittest.main()
