"""Passages of an invented ferry company's handbook, and for each a question in other words."""

LABELLED: list[tuple[str, str]] = [
    (
        "Crew members may swap shifts with a colleague of the same rank if the office hears of it a day before.",
        "Can two sailors exchange their duty hours?",
    ),
    (
        "A passenger who misses the last departure because of our delay is put up in a hotel at the company's cost.",
        "Who pays for a room when we were too late and someone could not get home?",
    ),
    (
        "Dogs travel free of charge on the open deck and must be kept on a lead; guide dogs may go anywhere.",
        "What are the rules for bringing pets aboard?",
    ),
    (
        "Bicycles cost four euros a crossing and are fastened at the stern by the deck hand, never by the owner.",
        "How much do I pay to take my bike?",
    ),
    (
        "Invoices from suppliers are paid thirty days after they arrive, unless the contract says otherwise.",
        "When do vendors receive their money?",
    ),
    (
        "Life jackets are inspected every January; those older than ten years are destroyed and replaced.",
        "How often is the flotation gear checked?",
    ),
    (
        "In fog with little sight the captain reduces speed to six knots and sounds the horn every two minutes.",
        "What must be done when visibility is poor?",
    ),
    (
        "The canteen opens at five in the morning and serves hot meals until the last boat has been moored.",
        "Where and when can employees eat?",
    ),
    (
        "New employees receive their key card on the first day after signing the data protection form.",
        "How does a recruit get access to the building?",
    ),
    (
        "Lost property is kept at the ticket office for three months and then given to charity.",
        "I forgot my umbrella on the ship, for how long is it stored?",
    ),
    (
        "Every employee has twenty-eight days of paid holiday; at most ten may be carried over into the next year.",
        "How much annual leave do we get?",
    ),
    (
        "Anyone who falls ill calls the shift leader before work and sends a doctor's note from the third day on.",
        "What should I do if I am sick and cannot come to work?",
    ),
    (
        "Passwords have at least fourteen characters, are kept in the password manager and are never sent by e-mail.",
        "How long does my login secret have to be?",
    ),
    (
        "Backups of the booking database run every night at two and are restored on a trial machine once a month.",
        "How do we protect the reservation data against loss?",
    ),
    (
        "Children under six travel free; from six to fourteen they pay half of the adult fare.",
        "Is there a discount for kids?",
    ),
    (
        "Refunds are made to the card that was used, within five working days after the cancellation.",
        "How do customers get their money back?",
    ),
    (
        "Smoking is allowed only at the marked place behind the funnel, never near the car deck.",
        "Where may people light a cigarette?",
    ),
    (
        "Engine oil is changed after every five hundred hours of running and handed to the recycling yard.",
        "When does the motor need fresh lubricant?",
    ),
    (
        "Travel by train is booked in second class; first class is paid only for journeys of more than four hours.",
        "Which rail tickets does the company reimburse?",
    ),
    (
        "Wheelchair users board first, over the wide ramp, and find a reserved place near the lift on deck two.",
        "How do disabled guests get on the boat?",
    ),
    (
        "A fire is reported on channel twelve; the muster station for passengers is the sun deck.",
        "Where do people gather if something burns?",
    ),
    (
        "Groups of fifteen or more book by telephone a week ahead and receive a tenth off the price.",
        "Do large parties travel more cheaply?",
    ),
    (
        "Salaries are transferred on the twenty-fifth of each month; in December on the twentieth.",
        "On which day are wages paid?",
    ),
    (
        "Electric cars may be charged on the upper parking deck only, and not during the crossing.",
        "Can I plug in my battery vehicle?",
    ),
    (
        "Uniforms are washed by the company; a torn jacket is replaced at once, shoes once a year.",
        "Who takes care of cleaning work clothes?",
    ),
    (
        "The web shop is updated on Tuesdays before eight, after the tests have passed on the staging server.",
        "When do we deploy new versions of the online store?",
    ),
    (
        "Waste water is pumped ashore in the home port and never let into the sea.",
        "What happens to sewage from the vessel?",
    ),
    (
        "Complaints are answered within three working days, by name, and without copied phrases.",
        "How fast do we reply to unhappy customers?",
    ),
    (
        "In winter, from November to March, the island is served only four times a day.",
        "How many sailings are there in the cold season?",
    ),
    (
        "Working from home is possible on two days a week for everyone who does not serve on board.",
        "May office staff telecommute?",
    ),
    (
        "Gifts from suppliers worth more than twenty euros are declined or handed to the raffle.",
        "Am I allowed to accept presents from business partners?",
    ),
    (
        "Seasickness tablets and plasters are at the bar; the first-aid box hangs beside the bridge door.",
        "Where is medicine kept on the ship?",
    ),
]
