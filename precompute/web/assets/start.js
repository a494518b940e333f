const data = JSON.parse(document.getElementById("data").textContent);
window.kinetab = { data, view: new View(data.view, document.querySelector(".view")) };
